import { afterEach, expect, setSystemTime, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { startApi, startOwnPostgres } from "../../support/outage.ts";
import { race } from "../../support/race.ts";
import { startService } from "../../support/service.ts";
import { liveRows } from "../../support/sessions.ts";

/* Refreshes whose response is lost. If the cookie was replaced and not delivered, its next use would count as token reuse. */
const postgres = await startOwnPostgres();
const api = await startApi(await postgres.database());
afterEach(() => postgres.thaw());

const statuses = (responses: { status: number }[]) => [...new Set(responses.map(({ status }) => status))];
const cookieOf = ({ headers }: { headers: Headers }) => headers.get("set-cookie");

test("a refresh refused during a database outage does not replace the cookie", async () => {
  const people: Caller[] = [];
  for (let i = 0; i < 12; i += 1) people.push(await api.person());
  // Several times, so that every connection has prepared the statement and could execute it without another round trip.
  for (let i = 0; i < 3; i += 1)
    expect(statuses(await race(12, (n) => (people[n] as Caller).refresh()))).toEqual([200]);
  const before = await api.sql("SELECT id FROM refresh_tokens ORDER BY id");
  postgres.freeze();
  expect(statuses(await Promise.all(people.map((person) => person.refresh())))).toEqual([503]);
  postgres.thaw();
  await api.untilReady();
  await until(async () => ((await api.connections()).every(({ state }) => state === "idle") ? true : null));
  expect(await api.sql("SELECT id FROM refresh_tokens ORDER BY id")).toEqual(before);
  const responses = await Promise.all(people.map((person) => person.refresh()));
  expect(responses.map(({ status }) => status)).toEqual(people.map(() => 200));
  for (const response of responses) expect(cookieOf(response)).toStartWith("refresh_token=");
});

test("a refresh that was committed when its connection was lost still returns its cookie", async () => {
  const person = await api.person();
  // PostgreSQL commits but waits for a standby that does not exist, so no response to COMMIT arrives.
  await api.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await api.sql("SELECT pg_reload_conf()");
  let isOver = false;
  const refresh = person.refresh().finally(() => {
    isOver = true;
  });
  // The audit event of the sign-in may be written at the same time, so every connection that waits is ended.
  await until(async () => {
    await api.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    return isOver || null;
  });
  const response = await refresh;
  await api.sql("ALTER SYSTEM RESET synchronous_standby_names");
  await api.sql("SELECT pg_reload_conf()");
  expect(response.status).toBe(200);
  expect(cookieOf(response)).toStartWith("refresh_token=");
  const again = await person.refresh();
  expect(again.status).toBe(200);
  expect(cookieOf(again)).toStartWith("refresh_token=");
});

test("a refresh works if the service's clock is behind the database's", async () => {
  const t = await startService();
  const person = await t.person();
  await person.login();
  setSystemTime(new Date(Date.now() - 3_600_000));
  const response = await person.refresh().finally(() => setSystemTime());
  expect(response.status).toBe(200);
  expect(cookieOf(response)).toStartWith("refresh_token=");
  expect(await liveRows(t, person.email)).toHaveLength(1);
});
