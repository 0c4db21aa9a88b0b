import { afterEach, expect, test } from "bun:test";
import type { ApiResponse } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { type Api, startApi, startOwnPostgres, timed } from "../../support/outage.ts";
import { race } from "../../support/race.ts";

/**
 * Four times the response time that rules 25.6 promise, for busy machines. The service waits at most 8 s for the
 * database; without its deadline, a response would wait until the frozen database runs again.
 */
const MAX_ANSWER_MS = 40_000;

const postgres = await startOwnPostgres();
afterEach(() => postgres.thaw());

function expectUnavailable(response: ApiResponse) {
  expect([response.status, response.body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
}

/** Expects either the usual status or a 503, in time. */
function expectServedOrUnavailable(response: ApiResponse & { ms: number }, expected: number) {
  if (response.status !== expected) expectUnavailable(response);
  expect(response.ms).toBeLessThan(MAX_ANSWER_MS);
}

const newEmail = () => `person-${crypto.randomUUID()}@example.com`;

/**
 * Expects that every account has exactly one link, audit event, notification and mail: no registration was half
 * committed.
 */
async function expectNoHalfTransactions(api: Api) {
  const parts = await api.sql(`
    SELECT u.email FROM users u
    WHERE (SELECT count(*) FROM email_verification_tokens t WHERE t.user_id = u.id) <> 1
       OR (SELECT count(*) FROM audit_events e WHERE e.target_id = u.id AND e.action = 'USER_REGISTERED') <> 1
       OR (SELECT count(*) FROM notifications n WHERE n.user_id = u.id) <> 1`);
  expect(parts).toEqual([]);
  const [counts] = await api.sql(`
    SELECT (SELECT count(*)::int FROM users) AS users,
           (SELECT count(*)::int FROM pgboss.job WHERE name = 'mail.send') AS mails,
           (SELECT count(*)::int FROM email_verification_tokens) AS links`);
  expect(counts).toEqual({ users: counts?.users, mails: counts?.users, links: counts?.users });
  const sessions = await api.sql(`
    SELECT session_id FROM refresh_tokens GROUP BY session_id
    HAVING count(*) FILTER (WHERE revoked_at IS NULL) <> 1`);
  expect(sessions).toEqual([]);
}

/** Expects that all connections of the pool work, and that none is leaked or has an open transaction. */
async function expectPoolIsWhole(api: Api) {
  const person = await api.person();
  const responses = await race(40, () => person.get("/api/profile"));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  // Each request holds a connection while it waits for the account's lock.
  const written = await race(20, (index) => person.patch("/api/profile", { firstName: `Ada ${index}` }));
  expect(written.map(({ status }) => status)).toEqual(written.map(() => 200));
  await until(async () => {
    const connections = await api.connections();
    const idle = connections.every(({ state }) => state === "idle");
    return idle && connections.reduce((sum, { count }) => sum + count, 0) <= 10 ? true : null;
  });
}

/** Expects that each 503 was logged once, with its cause. */
async function expectCausesLogged(api: Api, responses: ApiResponse[]) {
  const ids = new Set(responses.map(({ body }) => body.requestId));
  const lines = await until(() => {
    const failed = api.log
      .filter((line) => line.includes('"request failed"'))
      .map((line) => JSON.parse(line))
      .filter(({ requestId }) => ids.has(requestId));
    return failed.length >= responses.length ? failed : null;
  });
  expect(lines).toHaveLength(responses.length);
  for (const { err } of lines) expect(err.cause.message).toBeString();
}

const KILLS = 30;

test("terminating database backends under load causes only 503 responses, and no partial transaction", async () => {
  const api = await startApi(await postgres.database());
  await api.untilReady();
  const people = await race(6, () => api.person());
  const registered: string[] = [];
  const counts: Record<string, number> = {};
  let killing = true;

  async function load(expected: number, call: () => Promise<ApiResponse>) {
    while (killing) {
      const response = await timed(call());
      expectServedOrUnavailable(response, expected);
      counts[response.status] = (counts[response.status] ?? 0) + 1;
    }
  }
  const loads = [
    ...people.map((person) => load(200, () => person.refresh())),
    ...people.map((person) => load(200, () => person.get("/api/profile"))),
    ...people.map(() =>
      load(202, async () => {
        const email = newEmail();
        const response = await api.register(email);
        if (response.status === 202) registered.push(email);
        return response;
      }),
    ),
  ];
  for (let kills = 0; kills < KILLS; kills += 1) {
    await api.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'api%'",
    );
    await Bun.sleep(50);
  }
  killing = false;
  await Promise.all(loads);

  expect(counts[200]).toBeGreaterThan(0);
  expect(registered.length).toBeGreaterThan(0);
  const kept = await api.sql("SELECT email FROM users WHERE email = ANY($1)", [`{${registered.join(",")}}`]);
  expect(kept.length).toBe(registered.length);
  await expectNoHalfTransactions(api);
  await expectPoolIsWhole(api);
  expect(api.child.exitCode).toBeNull();
  expect(api.log.filter((line) => !line.startsWith("{"))).toEqual([]);
  console.log("responses while backends died", counts);
});

for (const mode of ["fast", "immediate"] as const) {
  test(`a stopped database (${mode}) causes 503, and the service recovers when it is started again`, async () => {
    const api = await startApi(await postgres.database());
    await api.untilReady();
    const person = await api.person();

    await postgres.stop(mode);
    const refused = await race(20, (index) =>
      timed(index % 2 === 0 ? person.get("/api/profile") : api.register(newEmail())),
    );
    for (const response of refused) {
      expectUnavailable(response);
      expect(response.ms).toBeLessThan(MAX_ANSWER_MS);
    }
    expect((await api.health("live")).status).toBe(200);
    const failed = { database: "failed", jobs: "failed", changeFeed: "failed", storage: "ok" };
    await until(async () => {
      const { status, body } = await api.health("ready");
      return status === 503 && Bun.deepEquals(body.checks, failed) ? true : null;
    });
    const causes = await until(() => {
      const failed = api.log.filter((line) => line.includes('"request failed"'));
      return failed.length >= refused.length ? failed.map((line) => JSON.parse(line).err.cause) : null;
    });
    for (const cause of causes) expect(cause.code).toStartWith("ERR_POSTGRES_CONNECTION_");

    await postgres.start();
    await until(async () => ((await person.get("/api/profile")).status === 200 ? true : null));
    await api.untilReady();
    const email = newEmail();
    expect((await api.register(email)).status).toBe(202);
    await until(async () => (api.inbox.mailsTo(email).length === 1 ? true : null));
    await expectNoHalfTransactions(api);
    await expectPoolIsWhole(api);
  });
}

test("a frozen database causes 503 in time, and does not execute the failed requests when it resumes", async () => {
  const api = await startApi(await postgres.database());
  await api.untilReady();
  const people = await race(4, () => api.person());
  await expectPoolIsWhole(api);
  const holder = await api.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE audit_events");
  // Ten are in the middle of a transaction, the others wait for a connection. Few enough that hashing their
  // passwords, which counts towards the measured time, takes little of it.
  const emails = Array.from({ length: 16 }, () => newEmail());
  const registrations = emails.slice(0, 12).map((email) => timed(api.register(email)));
  await until(async () => {
    const waiting = await api.sql("SELECT FROM pg_locks WHERE NOT granted");
    // A job may wait for the table as well.
    return waiting.length >= 10 ? true : null;
  });
  postgres.freeze();

  const responses = await Promise.all([
    ...registrations,
    ...emails.slice(12).map((email) => timed(api.register(email))),
    ...people.flatMap((person) =>
      Array.from({ length: 8 }, () => [timed(person.get("/api/profile")), timed(person.refresh())]).flat(),
    ),
  ]);
  for (const response of responses) {
    expectUnavailable(response);
    expect(response.ms).toBeLessThan(MAX_ANSWER_MS);
  }
  await expectCausesLogged(api, responses);
  expect((await api.health("live")).status).toBe(200);
  await until(async () => ((await api.health("ready")).status === 503 ? true : null));

  postgres.thaw();
  await holder.unsafe("COMMIT");
  holder.release();
  await api.untilReady();
  // After the pause, PostgreSQL first processes the statements that have arrived meanwhile.
  await until(async () => ((await api.connections()).every(({ state }) => state === "idle") ? true : null));
  expect(await api.sql("SELECT email FROM users WHERE email = ANY($1)", [`{${emails.join(",")}}`])).toEqual(
    [],
  );
  await expectNoHalfTransactions(api);
  await expectPoolIsWhole(api);
});

test("an instance that starts before its database serves once the database is up and migrated", async () => {
  const url = await postgres.database({ migrated: false });
  await postgres.stop("fast");
  const api = await startApi(url);
  expect((await api.health("live")).status).toBe(200);
  expect((await api.health("ready")).status).toBe(503);
  expectUnavailable(await api.register(newEmail()));

  await postgres.start();
  await until(async () => ((await api.health("ready")).body.checks.changeFeed === "ok" ? true : null), {
    seconds: 30,
  });
  expect((await api.health("ready")).body.checks.database).toBe("failed");
  const migrate = Bun.spawn(["bun", `${import.meta.dir}/../../../src/migrate.ts`], {
    env: { PATH: process.env.PATH, DATABASE_URL: url },
    stdout: "ignore",
  });
  expect(await migrate.exited).toBe(0);
  await api.untilReady();
  expect((await api.register(newEmail())).status).toBe(202);
});
