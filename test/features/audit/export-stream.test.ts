import { beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { EVENTS } from "../../support/audit.ts";
import { type Instance, until } from "../../support/cluster.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { megabytesOf } from "../../support/processes.ts";
import { startService } from "../../support/service.ts";

/* An export that is much larger than the memory an instance may use for it, which runs in a separate process. */

const t = await startService();
const ROWS = 300_000;
/** The memory limit: more than streaming needs on a busy machine (45 to 161 MB), less than all rows at once (300 MB). */
const MAX_GROWTH_MB = 220;
const LINE_FEED = 10;
let org: Organization;
let instance: Instance;

/** Three events each have the same time, as if one transaction had written them. */
beforeAll(async () => {
  org = await createOrganization(t);
  [instance] = (await t.cluster(1)) as [Instance];
  await t.sql(
    `INSERT INTO audit_events (action, actor_id, organization_id, target_type, target_id, metadata, ip, request_id, time)
     SELECT 'MEMBER_ROLES_CHANGED', $2, $1, 'user', gen_random_uuid(),
       '{"added": [{"roleId": "00000000-0000-7000-8000-000000000003", "roleName": "MEMBER", "unitId": null, "unitName": null}], "removed": []}',
       '127.0.0.1', gen_random_uuid(), now() - n / 3 * interval '1 second'
     FROM generate_series(1, $3::int) n`,
    [org.id, idOf(org.admin), ROWS],
  );
  await t.sql("ANALYZE audit_events");
});

async function open(signal?: AbortSignal) {
  const response = await fetch(`${instance.url}${EVENTS}/export?format=csv`, {
    headers: { authorization: `Bearer ${org.admin.accessToken}` },
    ...(signal && { signal }),
  });
  expect(response.status).toBe(200);
  return response.body as ReadableStream<Uint8Array>;
}

test("an export of 300,000 events grows a fresh instance by less than 220 MB", async () => {
  const before = megabytesOf(instance.pid);
  let [lines, max, looks] = [0, 0, 0];
  for await (const bytes of await open()) {
    lines += bytes.filter((byte) => byte === LINE_FEED).length;
    looks += 1;
    if (looks % 20 === 0) max = Math.max(max, megabytesOf(instance.pid));
  }
  // The header, the events above, and the founding of the organization.
  expect(lines).toBe(1 + ROWS + 1);
  expect(max - before).toBeLessThan(MAX_GROWTH_MB);
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

test("a client that stops reading pauses the export, and the instance's memory does not grow; the export stops when it disconnects", async () => {
  const before = megabytesOf(instance.pid);
  const { hostname, port } = new URL(instance.url);
  let isPaused = false;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(connection) {
        if (!isPaused) connection.pause();
        isPaused = true;
      },
    },
  });
  const authorization = `Authorization: Bearer ${org.admin.accessToken}`;
  socket.write(`GET ${EVENTS}/export?format=ndjson HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`);
  await until(() => (isPaused ? true : null));
  const paused = await untilQuiet();
  expect(megabytesOf(instance.pid) - before).toBeLessThan(MAX_GROWTH_MB);
  socket.resume();
  await until(async () => (Bun.deepEquals(await statements(), paused) ? null : true));
  // Paused again, the client disconnects between two pages.
  socket.pause();
  const left = await untilQuiet();
  socket.terminate();
  await meanwhile();
  expect(await statements()).toEqual(left);
});

test("an export stops when its client disconnects while a page is queried", async () => {
  const leaving = new AbortController();
  const reader = (await open(leaving.signal)).getReader();
  await reader.read();
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE");
  // The export continues with buffered pages until the query for the next page waits for the lock.
  const reading = (async () => {
    while (!(await reader.read()).done);
  })().catch(() => null);
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
