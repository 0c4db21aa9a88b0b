import { beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Caller } from "../../support/caller.ts";
import { type Instance, until } from "../../support/cluster.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { EXPORT, exportOf, openExport } from "../../support/personal-data.ts";
import { megabytesOf } from "../../support/processes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { forgetAttempts } from "../../support/two-factor.ts";
import { unzip } from "../../support/zip.ts";

/* Data exports that are much larger than the memory an instance may use for them; each runs in a separate process. */

const t = await startService();
const ROWS = 300_000;
/** The memory limit: more than streaming needs on a busy machine (45 to 161 MB), less than all rows at once (300 MB). */
const MAX_GROWTH_MB = 220;
let person: Caller;
let instance: Instance;

/** Stores events about a person. Some have equal times, and the random ids do not compress. */
const storeEvents = async (who: Caller, rows: number) => {
  await t.sql(
    `INSERT INTO audit_events (action, actor_id, target_type, target_id, ip, request_id, time)
     SELECT 'LOGIN_SUCCEEDED', $1, 'user', $1, '127.0.0.1', gen_random_uuid(), now() - n / 3 * interval '1 second'
     FROM generate_series(1, $2::int) n`,
    [idOf(who), rows],
  );
  await t.sql("ANALYZE audit_events");
};

beforeAll(async () => {
  person = await t.person();
  [instance] = (await t.cluster(1)) as [Instance];
  await storeEvents(person, ROWS);
});

test("a data export of 300,000 events grows a fresh instance by less than 220 MB", async () => {
  const before = megabytesOf(instance.pid);
  const response = await openExport(person.at(instance.url));
  expect(response.status).toBe(200);
  let [max, looks] = [0, 0];
  for await (const _ of response.body ?? []) {
    looks += 1;
    if (looks % 10 === 0) max = Math.max(max, megabytesOf(instance.pid));
  }
  expect(max - before).toBeLessThan(MAX_GROWTH_MB);
});

test("an account can run two data exports at once; a client that disconnects frees its slot", async () => {
  await forgetAttempts(t, person);
  const there = person.at(instance.url);
  const open = async () => {
    const leaving = new AbortController();
    const response = await openExport(there, undefined, { signal: leaving.signal });
    await response.body?.getReader().read();
    return { response, leaving };
  };
  const readers = [await open(), await open()];
  expect(readers.map(({ response }) => response.status)).toEqual([200, 200]);
  const refused = await exportOf(there);
  expect([outcome(refused), refused.headers.get("retry-after")]).toEqual(["429 TOO_MANY_REQUESTS", "1"]);
  // A third export is refused before password and code are checked; other users are not affected.
  expect(outcome(await exportOf(there, { password: "wrong" }))).toBe("429 TOO_MANY_REQUESTS");
  expect(outcome(await exportOf((await t.person()).at(instance.url)))).toBe("200");
  for (const { leaving } of readers) leaving.abort();
  await until(async () => {
    const response = await there.post(EXPORT, { password: "wrong" });
    return response.status === 400 ? true : null;
  });
});

test("a running data export is complete even if the account is deleted meanwhile", async () => {
  const leaver = await t.person();
  await storeEvents(leaver, 20_000);
  const response = await openExport(leaver.at(instance.url));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const chunks = [(await reader.read()).value as Uint8Array];
  const { password } = leaver.account;
  expectStatus(await leaver.post("/api/profile/delete", { password }), 204);
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  const files = unzip(Buffer.concat(chunks));
  expect(JSON.parse(files["profile.json"] ?? "").email).toBe(leaver.email);
  expect(JSON.parse(files["audit-events.json"] ?? "").length).toBeGreaterThan(20_000);
});

test("an interrupted data export is an error for its client, and never looks like a complete archive", async () => {
  const other = await t.person();
  await storeEvents(other, 20_000);
  // The query of the archive's last file waits for this lock, so the file is missing.
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  await holder.unsafe("BEGIN");
  await holder.unsafe("ALTER TABLE todos RENAME TO todos_away");
  const response = await openExport(other.at(instance.url));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await holder.unsafe("COMMIT");
  const readOn = async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read());
  };
  const end = await readOn().then(
    () => "whole",
    () => "broken off",
  );
  expect(end).toBe("broken off");
  await holder.unsafe("ALTER TABLE todos_away RENAME TO todos");
  await holder.close();
  expect(outcome(await exportOf(other.at(instance.url)))).toBe("200");
});
