import { beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { EVENTS, storeEvent } from "../../support/audit.ts";
import type { Caller } from "../../support/caller.ts";
import { type Instance, until } from "../../support/cluster.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { megabytesOf } from "../../support/processes.ts";
import { startService } from "../../support/service.ts";

/* Exports that are much larger than the memory an instance may use for them; each runs in a separate process. */

const t = await startService();
const ROWS = 200_000;
/** The memory limit: more than streaming needs on a busy machine (45 to 129 MB), less than all rows at once (200 MB). */
const MAX_GROWTH_MB = 160;
let org: Organization;
let instance: Instance;

/** Stores events of the organization's administrator. Three each have the same time, as if one transaction had written them. */
const storeEvents = async ({ id, admin }: Organization, rows: number) => {
  await t.sql(
    `INSERT INTO audit_events (action, actor_id, organization_id, target_type, target_id, metadata, ip, request_id, time)
     SELECT 'MEMBER_ROLES_CHANGED', $2, $1, 'user', gen_random_uuid(),
       '{"added": [{"roleId": "00000000-0000-7000-8000-000000000003", "roleName": "MEMBER", "unitId": null, "unitName": null}], "removed": []}',
       '127.0.0.1', gen_random_uuid(), now() - n / 3 * interval '1 second'
     FROM generate_series(1, $3::int) n`,
    [id, idOf(admin), rows],
  );
  await t.sql("ANALYZE audit_events");
};

beforeAll(async () => {
  org = await createOrganization(t);
  [instance] = (await t.cluster(1)) as [Instance];
  await storeEvents(org, ROWS);
});

type Query = { format: "csv" | "ndjson"; order?: "asc" | "desc" };

async function open(
  caller: Caller,
  query: Query,
  { signal, url = instance.url }: { signal?: AbortSignal; url?: string } = {},
) {
  const response = await fetch(`${url}${EVENTS}/export?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${caller.accessToken}` },
    ...(signal && { signal }),
  });
  expect(response.status).toBe(200);
  return (response.body as ReadableStream<Uint8Array>).getReader();
}

/** Reads an export to its end; returns the number of lines and the last line. */
async function readOn(reader: Awaited<ReturnType<typeof open>>, look = async () => {}) {
  let lines = 0;
  let tail = "";
  const decoder = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const text = decoder.decode(read.value, { stream: true });
    lines += text.split("\n").length - 1;
    tail = (tail + text).slice(-2_000);
    await look();
  }
  return { lines, last: tail.trimEnd().split("\n").at(-1) ?? "" };
}

/** Runs an export; returns the instance's maximum memory (RSS, MB) meanwhile, and the number of lines. */
async function memoryOf(from: Instance, query: Query) {
  let [max, looks] = [0, 0];
  const { lines } = await readOn(await open(org.admin, query, { url: from.url }), async () => {
    looks += 1;
    if (looks % 20 === 0) max = Math.max(max, megabytesOf(from.pid));
  });
  return { lines, max };
}

for (const format of ["csv", "ndjson"] as const)
  test(`an export of 200,000 events as ${format} grows a fresh instance by less than 160 MB`, async () => {
    const [fresh] = (await t.cluster(1)) as [Instance];
    const before = megabytesOf(fresh.pid);
    const { lines, max } = await memoryOf(fresh, { format });
    expect(lines).toBe(ROWS + 1 + (format === "csv" ? 1 : 0));
    expect(max - before).toBeLessThan(MAX_GROWTH_MB);
    await fresh.stop();
  });

test("a streamed export does not contain events that were added after it started", async () => {
  const smaller = await createOrganization(t);
  await storeEvents(smaller, ROWS / 4);
  const reader = await open(smaller.admin, { format: "ndjson", order: "asc" });
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value)).toStartWith('{"id":"');
  await storeEvent(t, { organizationId: smaller.id, action: "MEANWHILE" });
  const { last } = await readOn(reader);
  expect(JSON.parse(last).action).not.toBe("MEANWHILE");
});

/** Returns the last audit query of each connection in the instance's pool for lists, and whether it is still running. */
const statements = () =>
  t.sql<{ pid: number; state: string; query_start: Date }>(
    `SELECT pid, state, query_start FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE '%-lists' AND query LIKE '%audit_events%'
     ORDER BY pid`,
  );
const untilIdle = () =>
  until(async () => {
    const all = await statements();
    return all.length > 0 && all.every(({ state }) => state === "idle") ? all : null;
  });
/** Sends 100 requests: enough time for an export that is still running to read its next page. */
const meanwhile = async () => {
  const asker = org.admin.at(instance.url);
  for (let ask = 0; ask < 100; ask += 1) await asker.get("/api/profile");
};
/** Waits until no more queries read the audit log. */
const untilQuiet = () =>
  until(async () => {
    const idle = await untilIdle();
    await meanwhile();
    return Bun.deepEquals(await statements(), idle) ? idle : null;
  });

/** Reads the first bytes of an export on a raw socket, then stops reading. */
async function slowReader() {
  const { hostname, port } = new URL(instance.url);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const reader = { isPaused: false, tail: "", ended };
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(connection, bytes) {
        if (!reader.isPaused) connection.pause();
        reader.isPaused = true;
        reader.tail = (reader.tail + bytes.toString("latin1")).slice(-2_000);
        if (reader.tail.endsWith("0\r\n\r\n")) end();
      },
      close: () => end(),
    },
  });
  const path = `${EVENTS}/export?format=ndjson&order=asc`;
  const authorization = `Authorization: Bearer ${org.admin.accessToken}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`);
  await until(() => (reader.isPaused ? true : null));
  return { reader, socket, idle: await untilQuiet() };
}

test("a client that stops reading pauses the export, and the instance's memory does not grow", async () => {
  const before = megabytesOf(instance.pid);
  const { reader, socket, idle } = await slowReader();
  expect(megabytesOf(instance.pid) - before).toBeLessThan(MAX_GROWTH_MB);
  const id = await storeEvent(t, { organizationId: org.id, action: "LATER" });
  socket.resume();
  await reader.ended;
  socket.end();
  // The remaining pages are queried only after the client has read the earlier ones.
  expect(await statements()).not.toEqual(idle);
  expect(reader.tail).not.toContain(id);
});

test("an export stops when its client disconnects, between two pages or while one is queried", async () => {
  const { socket, idle } = await slowReader();
  socket.terminate();
  await meanwhile();
  expect(await statements()).toEqual(idle);

  const leaving = new AbortController();
  const reader = await open(org.admin, { format: "csv", order: "asc" }, leaving);
  await reader.read();
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE");
  // The export continues with buffered pages until the query for the next page waits for the lock.
  const reading = readOn(reader).catch(() => null);
  await until(async () => ((await statements()).some(({ state }) => state === "active") ? true : null));
  leaving.abort();
  await meanwhile();
  await holder.unsafe("ROLLBACK");
  await holder.close();
  expect(await reading).toBeNull();
  const piece = await untilIdle();
  await meanwhile();
  expect(await statements()).toEqual(piece);
});
