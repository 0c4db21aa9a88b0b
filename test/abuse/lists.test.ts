import { beforeAll, expect, test } from "bun:test";
import { EVENTS } from "../support/audit.ts";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { createMachine } from "../support/machines.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { expectTooMany, idOf } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService } from "../support/service.ts";
import { holdTable } from "../support/tables.ts";

/* No account can block the lists of others, neither with many concurrent lists nor with exports. */

const t = await startService();
const TODOS = "/api/todos?completed=false";
/** The statements of a filtered list that wait for the table: its rows. The total is counted afterwards, if the first page is full. */
const STATEMENTS = 1;
const EXPORT = `${EVENTS}/export?format=ndjson`;
let org: Organization;
let neighbour: Organization;

beforeAll(async () => {
  org = await createOrganization(t);
  neighbour = await createOrganization(t);
});

const statuses = (responses: ApiResponse[]) => Object.groupBy(responses, ({ status }) => status);

/** Expects that all lists that may run or wait succeed, so that no slot was leaked. */
async function expectAllPlaces(caller: Caller) {
  for (const response of await race(18, () => caller.get(TODOS))) expectStatus(response, 200);
}

test("an account runs two lists concurrently, 16 more wait, and further ones are 429", async () => {
  const lock = await holdTable(t, "todos");
  const refused: ApiResponse[] = [];
  const responses = race(30, async () => {
    const response = await org.admin.get(TODOS);
    if (response.status === 429) refused.push(response);
    return response;
  });
  await until(() => (refused.length >= 12 ? true : null));
  await lock.waiting(2 * STATEMENTS);
  refused.forEach(expectTooMany);
  // Lists of the same account in another organization count too; other accounts are not affected.
  const elsewhere = org.admin.get("/api/notifications");
  expect((await neighbour.admin.get("/api/members")).status).toBe(200);
  await lock.release();
  expect(statuses(await responses)[200]).toHaveLength(18);
  expectTooMany(await elsewhere);
  await expectAllPlaces(org.admin);
});

test("an organization runs three lists concurrently, so an account with two leaves a slot for others", async () => {
  const [first, second, third] = await race(3, () => org.member());
  const lock = await holdTable(t, "todos");
  const firsts = race(4, () => (first as Caller).get(TODOS));
  await lock.waiting(2 * STATEMENTS);
  const seconds = race(2, () => (second as Caller).get(TODOS));
  await lock.waiting(3 * STATEMENTS);
  const thirds = race(2, () => (third as Caller).get("/api/units"));
  const neighbours = neighbour.admin.get(TODOS);
  await lock.waiting(4 * STATEMENTS);
  await lock.release();
  for (const responses of await Promise.all([firsts, seconds, thirds, [await neighbours]]))
    for (const response of responses) expectStatus(response, 200);
  await expectAllPlaces(first as Caller);
});

test("a platform administrator's lists count per account, not for the organization in X-Organization-Id", async () => {
  const admins = await race(3, () => t.platformAdmin());
  const lock = await holdTable(t, "todos");
  const responses = race(3, (index) =>
    race(2, () => (admins[index] as Caller).get(TODOS, { headers: { "x-organization-id": org.id } })),
  );
  // Six lists run. If they counted for the organization, three would.
  await lock.waiting(6 * STATEMENTS);
  await lock.release();
  for (const response of (await responses).flat()) expectStatus(response, 200);
});

test("a client that disconnects while its list waits frees its slot", async () => {
  const lock = await holdTable(t, "todos");
  const running = race(2, () => org.admin.get(TODOS));
  await lock.waiting(2 * STATEMENTS);
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${org.admin.accessToken}` };
  const gone = race(16, () => fetch(t.url + TODOS, { headers, signal: leaving.signal }).catch(() => null));
  await until(async () => ((await org.admin.get(TODOS)).status === 429 ? true : null));
  leaving.abort();
  expect(await gone).toEqual(Array(16).fill(null));
  const waiting: Promise<ApiResponse>[] = [];
  // All sixteen lists can wait again, so the queue was empty.
  for (let next = 0; next < 16; next += 1) waiting.push(org.admin.get(TODOS));
  await Bun.sleep(100);
  await lock.release();
  for (const response of await Promise.all([...waiting, ...(await running)])) expectStatus(response, 200);
});

test("failed and refused lists free their slots", async () => {
  await t.sql("ALTER TABLE todos RENAME TO todos_elsewhere");
  const failed = await race(18, () => org.admin.get(TODOS));
  await t.sql("ALTER TABLE todos_elsewhere RENAME TO todos");
  expect(statuses(failed)[500]).toHaveLength(18);
  expect((await org.admin.get(`${TODOS}&page=0`)).status).toBe(400);
  await expectAllPlaces(org.admin);
});

test("a list that waits too long for a slot returns the same error as one that waits too long for the database", async () => {
  const impatient = await startService({}, { databaseUrl: t.databaseUrl, maxWaitMs: 2_000 });
  const admin = org.admin.at(impatient.url);
  const lock = await holdTable(t, "todos");
  // Two lists wait for the table, the others for a slot; all time out before the table is unlocked.
  const responses = await race(5, () => admin.get(TODOS));
  await lock.release();
  for (const response of responses) expectStatus(response, 503);
  await expectAllPlaces(admin);
});

/** Starts exports; returns their statuses, and a function that disconnects the running ones. */
async function exports(callers: Caller[], method = "GET") {
  const leaving = new AbortController();
  const responses = await race(callers.length, (index) =>
    fetch(t.url + EXPORT, {
      method,
      headers: { authorization: `Bearer ${callers[index]?.accessToken}` },
      signal: leaving.signal,
    }),
  );
  return { statuses: responses.map(({ status }) => status).sort(), leave: () => leaving.abort() };
}

test("an organization runs two exports concurrently, a person with their keys one, and an export whose client disconnects frees its slot", async () => {
  const [{ admin }, other] = [org, await org.member({ role: "ORG_ADMIN" })];
  const { caller: machine } = await createMachine(org, { role: "ORG_ADMIN" });
  await t.sql(
    `INSERT INTO audit_events (action, actor_id, organization_id, metadata, time)
     SELECT 'MEMBER_ROLES_CHANGED', $2, $1, '{}', now() - n * interval '1 second' FROM generate_series(1, 50000) n`,
    [org.id, idOf(org.admin)],
  );
  await t.sql("ANALYZE audit_events");
  const third = await org.member({ role: "ORG_ADMIN" });
  const own = await exports([admin, admin, machine]);
  expect(own.statuses).toEqual([200, 429, 429]);
  const first = await exports([other, third]);
  expect(first.statuses).toEqual([200, 429]);
  expectTooMany(await third.get(EXPORT));
  expect((await exports([neighbour.admin])).statuses).toEqual([200]);
  own.leave();
  first.leave();
  const second = await until(async () => {
    const next = await exports([admin, other]);
    next.leave();
    return next.statuses.includes(429) ? null : next;
  });
  expect(second.statuses).toEqual([200, 200]);
  // HEAD, a malformed request and a failed export free their slots.
  for (let round = 0; round < 3; round += 1) {
    await until(async () => ((await exports([admin], "HEAD")).statuses[0] === 200 ? true : null));
    expect((await org.admin.get(`${EXPORT}&order=sideways`)).status).toBe(400);
  }
});

test("a hundred concurrent two-letter searches delay another organization's list by less than the time of ten searches", async () => {
  const search = () => org.admin.get(`${EVENTS}?search=zq`);
  const list = () => neighbour.admin.get("/api/members");
  const alone = await median(9, search);
  let isOver = false;
  const lanes = race(100, async () => {
    while (!isOver) if ((await search()).status === 429) await Bun.sleep(50);
  });
  const beside = await median(15, list);
  isOver = true;
  await lanes;
  // The time of the search is measured before and after, because the machine may have become busier.
  expect(beside).toBeLessThan(10 * Math.max(alone, await median(9, search)));
});

async function median(rounds: number, call: () => Promise<ApiResponse>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const since = performance.now();
    expectStatus(await call(), 200);
    times.push(performance.now() - since);
  }
  return times.sort((one, other) => one - other)[rounds >> 1] as number;
}

test("a two-letter search reads the rows of its organization, not all accounts", async () => {
  const ACCOUNTS = 5_000;
  await t.sql(
    `INSERT INTO users (email, first_name, last_name, language)
     SELECT 'account-' || n || '@example.com', 'Ada', 'Lovelace', 'EN' FROM generate_series(1, $1::int) n`,
    [ACCOUNTS],
  );
  await t.sql("ANALYZE users");
  const small = await createOrganization(t);
  const LISTS =
    "FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%-lists'";
  /**
   * Returns how many rows of `users` sequential scans have read. PostgreSQL reports a connection's reads reliably
   * only when it ends, so the connections are terminated first.
   */
  const read = async () => {
    await t.sql(`SELECT pg_terminate_backend(pid, 10000) ${LISTS}`);
    const [row] = await t.sql<{ rows: string }>(
      "SELECT pg_stat_get_tuples_returned('users'::regclass) AS rows",
    );
    return Number(row?.rows);
  };
  const before = await read();
  for (const search of ["zq", "@-", "źq"]) {
    const { body } = expectStatus(
      await small.admin.get(`${EVENTS}?search=${encodeURIComponent(search)}`),
      200,
    );
    expect(body.total).toBe(0);
  }
  expect((await read()) - before).toBeLessThan(ACCOUNTS);
});
