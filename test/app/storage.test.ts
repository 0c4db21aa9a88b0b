import { afterAll, expect, test } from "bun:test";
import { type FileHandle, mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OWN_TICKETS, report, reportBody, withImages } from "../support/helpdesk.ts";
import { pngWith } from "../support/images.ts";
import { startService } from "../support/service.ts";

/* A storage volume that is mounted, disappears, is replaced by an empty folder, and returns. */
const folder = await mkdtemp(join(tmpdir(), "storage-marker-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const [directory, away] = [join(folder, "volume"), join(folder, "away")];
const t = await startService({ STORAGE_DIR: directory, METRICS_PORT: "0" });
const person = await t.person();

const names = async () => (await readdir(directory, { recursive: true })).toSorted();
const readiness = async () => (await t.anonymous().get("/api/health/ready")).body;
const gauge = async () =>
  /^ready\{check="storage"\} (\d)$/m.exec(await (await fetch(t.running.metricsUrl ?? "")).text())?.[1];
const upload = async () =>
  (await person.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [pngWith()]))).status;

async function expectDegraded() {
  const { status, checks } = await readiness();
  expect([status, checks.storage, await gauge()]).toEqual(["degraded", "failed", "0"]);
}

async function expectWorking() {
  const { status, checks } = await readiness();
  expect([status, checks.storage, await gauge()]).toEqual(["ok", "ok", "1"]);
}

test("a new installation creates its storage folder and marker by itself, once", async () => {
  await expectWorking();
  const [{ id } = { id: "" }] = await t.sql<{ id: string }>("SELECT id FROM storage_marker");
  expect(await readdir(join(directory, "installation"))).toEqual([id]);
  expect(await upload()).toBe(201);
});

test("a storage folder that disappeared is not created again: uploads and stored images fail, and readiness is degraded", async () => {
  const { messages } = await report(person, {}, [pngWith()]);
  const image = `/api/support/attachments/${messages[0]?.attachments[0]?.id}`;
  expect((await person.get(image)).status).toBe(200);
  await rename(directory, away);
  await expectDegraded();
  expect([await upload(), (await person.get(image)).status]).toEqual([500, 500]);
  expect(await readdir(folder)).toEqual(["away"]);

  // An empty folder, like the mount point of a volume that is not mounted.
  await mkdir(directory);
  await expectDegraded();
  expect([await upload(), (await person.get(image)).status]).toEqual([503, 500]);
  expect(await readdir(directory)).toEqual([]);

  await rm(directory, { recursive: true });
  await rename(away, directory);
  await expectWorking();
  expect([await upload(), (await person.get(image)).status]).toEqual([201, 200]);
});

test("a full disk makes readiness degraded, and the check leaves no file", async () => {
  const handle = await open(import.meta.path, "r");
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { writeFile } = handles;
  handles.writeFile = async () => {
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  };
  const before = await names();
  try {
    await expectDegraded();
  } finally {
    handles.writeFile = writeFile;
  }
  await expectWorking();
  expect(await names()).toEqual(before);
});

test("an instance that starts with another database's storage logs an error and is degraded", async () => {
  await mkdir(join(folder, "other"));
  const [other] = await t.cluster(1, { STORAGE_DIR: join(folder, "other") });
  expect((await t.anonymous(other?.url).get("/api/health/ready")).body.status).toBe("degraded");
  const line = other?.log().find((one) => one.includes("the storage cannot be used")) ?? "{}";
  expect(JSON.parse(line)).toMatchObject({ level: "error" });
  expect(JSON.parse(line).err.message).toContain("installation/");
});
