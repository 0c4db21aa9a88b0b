import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { holdUserLock } from "../support/locks.ts";
import { outcome } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, sharedService } from "../support/service.ts";

/* Refreshes with invented cookies must not affect other users. */

const t = await sharedService({ TRUST_PROXY: "1" });
const MAX_FAILURES = 60;

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const refreshUnknown = (address: string) => {
  const caller = t.anonymous();
  caller.cookie = randomBytes(32).toString("base64url");
  return caller.refresh(from(address));
};
const failOften = async (address: string) => {
  for (const response of await race(MAX_FAILURES, () => refreshUnknown(address)))
    expect(outcome(response)).toBe("401 INVALID_REFRESH_TOKEN");
};

/** Counts the refreshes that wait for a lock in the database. */
const waiting = async () =>
  (
    await t.sql(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
       AND application_name LIKE '%-sign-in' AND wait_event_type = 'Lock'`,
    )
  ).length;

test("an address may fail sixty refreshes a minute, and the valid sessions from that address continue", async () => {
  const person = await t.person();
  await failOften("2001:db8:0:7::1");
  const refused = await refreshUnknown("2001:db8:0:7::2");
  expect(outcome(refused)).toBe("429 TOO_MANY_REQUESTS");
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
  expect(refused.cookie).toBeNull();
  expectStatus(await person.refresh(from("2001:db8:0:7::1")), 200);
  expect(outcome(await refreshUnknown("2001:db8:0:8::1"))).toBe("401 INVALID_REFRESH_TOKEN");
  // A cookie whose session has ended counts like an unknown one.
  const over = person.at(t.url);
  expectStatus(await person.post("/api/auth/logout"), 204);
  expect(outcome(await over.refresh(from("2001:db8:0:7::1")))).toBe("429 TOO_MANY_REQUESTS");
  // Requests without a cookie cause no lookup and are not counted.
  for (const response of await race(70, () => t.anonymous().refresh(from("192.0.2.1"))))
    expect(outcome(response)).toBe("401 INVALID_REFRESH_TOKEN");
  expect(outcome(await refreshUnknown("192.0.2.1"))).toBe("401 INVALID_REFRESH_TOKEN");
});

test("an address runs six refreshes concurrently, so that others get a connection", async () => {
  const [person, other] = [await t.person(), await t.person()];
  const held = await holdUserLock(t, person.email);
  const responses = race(12, () => person.at(t.url).refresh(from("192.0.2.2")));
  await held.waiting(6);
  expectStatus(await other.refresh(from("192.0.2.3")), 200);
  expectStatus(await other.login(), 200);
  expect(await waiting()).toBe(6);
  await held.release();
  for (const response of await responses) expectStatus(response, 200);
});

test("unknown refresh cookies from an address over its limit are refused without a database connection", async () => {
  await failOften("192.0.2.4");
  const people = await race(8, () => t.person());
  const locks = await Promise.all(people.map(({ email }) => holdUserLock(t, email)));
  const responses = race(8, (index) => (people[index] as Caller).refresh(from(`192.0.2.${10 + index}`)));
  await until(async () => ((await waiting()) === 8 ? true : null));
  expect(outcome(await refreshUnknown("192.0.2.4"))).toBe("429 TOO_MANY_REQUESTS");
  expect(await waiting()).toBe(8);
  for (const lock of locks) await lock.release();
  for (const response of await responses) expectStatus(response, 200);
});
