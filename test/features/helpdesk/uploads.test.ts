import { expect, test } from "bun:test";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { until } from "../../support/cluster.ts";
import {
  download,
  expectNothingLeft,
  imageRows,
  OWN_TICKETS,
  page,
  report,
  reportBody,
  withImages,
} from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

const storage = await ownStorage();
const t = await startService(storage.environment);
const three = withImages(reportBody() as never, [pngWith(), pngWith(), pngWith()]);

/** Queues the image sweep like its schedule, and runs it. */
async function sweep() {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('helpdesk.sweep')");
  await t.drain();
}

test("an upload to a failing storage is 500 without details, and leaves neither rows nor objects", async () => {
  const who = await t.person();
  const before = await storage.keys();
  const { storage: stored } = t.running.app;
  const put = stored.put.bind(stored);
  let count = 0;
  stored.put = async (...given) => {
    count += 1;
    if (count === 2) throw new Error("The disk is full");
    await put(...given);
  };
  try {
    const response = await who.post(OWN_TICKETS, undefined, three);
    expect([outcome(response), response.body.message]).toEqual([
      "500 INTERNAL_ERROR",
      "Something went wrong",
    ]);
  } finally {
    stored.put = put;
  }
  expect(count).toBe(3);
  await expectNothingLeft(t, storage, who, before);
  // The failed report does not count against the hourly limit.
  for (let sent = 0; sent < 5; sent += 1) await report(who, {}, [pngWith()]);
});

test("an upload to an unwritable storage directory is 500; once it is writable, uploads work again", async () => {
  const folder = await ownStorage();
  const own = await startService(folder.environment);
  await writeFile(join(folder.folder, "helpdesk"), "in the way");
  const who = await own.person();
  expect(outcome(await who.post(OWN_TICKETS, undefined, three))).toBe("500 INTERNAL_ERROR");
  expect(await imageRows(own, idOf(who))).toEqual([]);
  await rm(join(folder.folder, "helpdesk"));
  expectStatus(await who.post(OWN_TICKETS, undefined, three), 201);
});

test("if the message cannot be inserted, its stored images are removed from the directory", async () => {
  const who = await t.person();
  const before = await storage.keys();
  await t.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END'`);
  await t.sql(`CREATE TRIGGER refuse BEFORE INSERT ON ticket_messages FOR EACH ROW
    WHEN (NEW.body = 'Not this') EXECUTE FUNCTION refuse()`);
  const body = withImages({ ...(reportBody() as Record<string, string>), message: "Not this" }, [
    pngWith(),
    pngWith(),
  ]);
  expect(outcome(await who.post(OWN_TICKETS, undefined, body))).toBe("500 INTERNAL_ERROR");
  await expectNothingLeft(t, storage, who, before);
});

test("images whose removal fails are removed later by the sweep job", async () => {
  const who = await t.person();
  const before = await storage.keys();
  const { storage: stored } = t.running.app;
  const { put, delete: remove } = stored;
  let isBroken = true;
  stored.put = async (key, ...rest) => {
    await put.call(stored, key, ...rest);
    throw new Error("No response");
  };
  stored.delete = (key) => (isBroken ? Promise.reject(new Error("No response")) : remove.call(stored, key));
  try {
    expect(outcome(await who.post(OWN_TICKETS, undefined, three))).toBe("500 INTERNAL_ERROR");
    expect(await storage.keys()).toHaveLength(before.length + 3);
    isBroken = false;
    await sweep();
  } finally {
    Object.assign(stored, { put, delete: remove });
  }
  await expectNothingLeft(t, storage, who, before);
});

test("an image that the sweep job cannot remove does not block the others", async () => {
  const who = await t.person();
  const before = await storage.keys();
  const { storage: stored } = t.running.app;
  const { put, delete: remove } = stored;
  stored.put = () => Promise.reject(new Error("No response"));
  const stuck: string[] = [];
  stored.delete = (key) => {
    if (stuck.length === 0) stuck.push(key);
    return stuck.includes(key) ? Promise.reject(new Error("No response")) : remove.call(stored, key);
  };
  try {
    expect(outcome(await who.post(OWN_TICKETS, undefined, three))).toBe("500 INTERNAL_ERROR");
    expect((await imageRows(t, idOf(who))).map(({ storage_key }) => storage_key)).toEqual(stuck);
  } finally {
    Object.assign(stored, { put, delete: remove });
  }
  await sweep();
  await expectNothingLeft(t, storage, who, before);
});

test("an image that exists but cannot be read is 500, not 404", async () => {
  const who = await t.person();
  const { id, messages } = await report(who, {}, [pngWith()]);
  const image = messages[0]?.attachments[0]?.id ?? "";
  const path = join(storage.folder, "helpdesk", id, image);
  await rm(path);
  await symlink(path, path);
  const response = await download(who, image);
  expect([response.status, response.body.code]).toEqual([500, "INTERNAL_ERROR"]);
  await rm(path);
});

test("images without a message, as after a crash, are removed by the sweep job after an hour, not before", async () => {
  const [instance] = await t.cluster(1);
  const who = (await t.person()).at(instance?.url ?? "");
  const before = await storage.keys();
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const connection = await holder.reserve();
  await connection.unsafe("BEGIN");
  await connection.unsafe("LOCK TABLE tickets IN EXCLUSIVE MODE");
  const lost = who.post(OWN_TICKETS, undefined, three).catch(() => null);
  const stored = await until(async () => {
    const keys = (await storage.keys()).filter((key) => !key.endsWith(".partial"));
    const waiting = await t.sql(
      "SELECT FROM pg_locks WHERE relation = 'tickets'::regclass AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    );
    return keys.length === before.length + 3 && waiting.length > 0 ? keys : null;
  });
  await instance?.kill();
  await connection.unsafe("COMMIT");
  connection.release();
  await holder.close();
  expect(await lost).toBeNull();

  const reader = who.at(t.url);
  expect((await page(reader, OWN_TICKETS)).total).toBe(0);
  const rows = await imageRows(t, idOf(who));
  expect(rows.map(({ message_id }) => message_id)).toEqual([null, null, null]);
  for (const { id } of rows) expect((await download(reader, id)).status).toBe(404);
  await sweep();
  expect(await storage.keys()).toEqual(stored);
  await t.age("ticket_attachments", { user_id: idOf(who) }, { minutes: 61 });
  await sweep();
  await expectNothingLeft(t, storage, reader, before);
});

test("the sweep job for images runs twice an hour, and keeps images that belong to a message", async () => {
  const who = await t.person();
  const { messages } = await report(who, {}, [pngWith()]);
  await t.age("ticket_attachments", { user_id: idOf(who) }, { days: 3 });
  await sweep();
  expect((await download(who, messages[0]?.attachments[0]?.id ?? "")).status).toBe(200);
  const [schedule] = await t.sql<{ cron: string }>(
    "SELECT cron FROM pgboss.schedule WHERE name = 'helpdesk.sweep'",
  );
  expect(schedule?.cron).toMatch(/^\d+,\d+ \* \* \* \*$/);
});

test("an image whose object is missing is 404 and logged", async () => {
  const [instance] = await t.cluster(1);
  const who = (await t.person()).at(instance?.url ?? "");
  const { id, messages } = await report(who, {}, [pngWith()]);
  const image = messages[0]?.attachments[0]?.id ?? "";
  await rm(join(storage.folder, "helpdesk", id, image));
  const response = await download(who, image);
  expect([response.status, response.body.code]).toEqual([404, "NOT_FOUND"]);
  const line = await until(() => instance?.log().find((text) => text.includes(image)) ?? null);
  expect(JSON.parse(line)).toMatchObject({
    attachmentId: image,
    requestId: response.headers.get("x-request-id"),
  });
  // The ticket still lists the attachment.
  expect(expectStatus(await who.get(`${OWN_TICKETS}/${id}`), 200).body.messages[0].attachments).toMatchObject(
    [{ id: image }],
  );
});
