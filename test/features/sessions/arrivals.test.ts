import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { holdUserLock } from "../../support/locks.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser } from "../../support/sessions.ts";

/*
 * A refresh is judged by the state at its arrival (rules 5.8). Each test makes it wait for the user's lock while that
 * state changes. Above each test: the code without which it fails.
 */
const t = await sharedService();

const sessionOf = (caller: Caller) => claimsOf(caller.accessToken ?? "").sid;

/**
 * Lets time pass between the arrival of a refresh and the change that it waits for. The arrival is
 * dated by the statement that takes the lock, so it is late by the time until the database gets that statement: on a
 * busy machine some hundred milliseconds.
 */
const letTimePass = () => Bun.sleep(2_000);

/** Expects that no session of the account was ended because of theft. `other` is another session of it. */
async function expectNoTheft(other: Caller) {
  expectStatus(await other.refresh(), 200);
  const events = await t.sql(
    `SELECT FROM audit_events a JOIN users u ON u.id = a.target_id
     WHERE action = 'REFRESH_TOKEN_REUSED' AND u.email = $1`,
    [other.email],
  );
  expect(events).toEqual([]);
}

/** Sends a refresh with a replaced cookie, which waits for the user's lock while `change` happens. */
async function overtaken(person: Caller, change: (sessionId: string) => Promise<unknown>) {
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  const lock = await holdUserLock(t, person.email);
  const refresh = stale.refresh();
  await lock.waiting(1);
  await letTimePass();
  await change(sessionOf(person));
  await lock.release();
  return refresh;
}

// The two tests fail without `arrivedAt` in findRefreshToken (sql/sessions.sql).
test("a refresh in its grace period is no reuse if the successor was replaced while the refresh waited", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const response = await overtaken(person, (sessionId) =>
    t.sql(
      `WITH used AS (
         UPDATE refresh_tokens SET revoked_at = clock_timestamp(), replaced_by_id = gen_random_uuid()
         WHERE session_id = $1 AND revoked_at IS NULL RETURNING *)
       INSERT INTO refresh_tokens (id, session_id, user_id, token_hash, expires_at, session_started_at, proof)
       SELECT replaced_by_id, session_id, user_id, reverse(token_hash), expires_at, session_started_at, proof FROM used`,
      [sessionId],
    ),
  );
  expect([response.status, response.headers.getSetCookie()]).toEqual([200, []]);
  expect(claimsOf(response.body.accessToken).sid).toBe(sessionOf(person));
  await expectNoTheft(other);
});

test("a refresh in its grace period is a plain 401 if the session was signed out while the refresh waited", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const response = await overtaken(person, (sessionId) =>
    t.sql(
      "UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE session_id = $1 AND revoked_at IS NULL",
      [sessionId],
    ),
  );
  expect([response.status, response.cookie]).toEqual([401, ""]);
  await expectNoTheft(other);
});

// The test fails without clock_timestamp() in revokeSession (sql/sessions.sql).
test("a refresh that arrives while a sign-out waits for the lock is a plain 401", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const lock = await holdUserLock(t, person.email);
  const logout = sameBrowser(person).post("/api/auth/logout");
  await lock.waiting(1);
  const refresh = sameBrowser(person).refresh();
  await lock.waiting(2);
  await letTimePass();
  await lock.release();
  expectStatus(await logout, 204);
  expect([(await refresh).status, (await refresh).cookie]).toEqual([401, ""]);
  await expectNoTheft(other);
});

// The test fails without clock_timestamp() at `revoked_at` in rotateRefreshToken (sql/sessions.sql).
test("a refresh in its grace period is no reuse if it arrives while the replacement of the successor waits for the lock", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  const lock = await holdUserLock(t, person.email);
  const rotation = person.refresh();
  await lock.waiting(1);
  const refresh = stale.refresh();
  await lock.waiting(2);
  await letTimePass();
  await lock.release();
  expectStatus(await rotation, 200);
  const response = expectStatus(await refresh, 200);
  expect(response.headers.getSetCookie()).toEqual([]);
  await expectNoTheft(other);
});

// The test fails without `arrivedAt` at the grace period in findRefreshToken (sql/sessions.sql).
test("a refresh that arrives in its grace period is no reuse if that period ends while the refresh waits", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const lock = await holdUserLock(t, person.email);
  const refresh = sameBrowser(person).refresh();
  await lock.waiting(1);
  // As if the cookie had been replaced 27 seconds before this moment, which is after the arrival.
  await t.sql(
    `WITH replaced AS (
       UPDATE refresh_tokens SET revoked_at = now() - interval '27 seconds', replaced_by_id = gen_random_uuid()
       WHERE session_id = $1 AND revoked_at IS NULL RETURNING *)
     INSERT INTO refresh_tokens
       (id, session_id, user_id, token_hash, expires_at, session_started_at, proof, created_at)
     SELECT replaced_by_id, session_id, user_id, reverse(token_hash), expires_at, session_started_at, proof, revoked_at
     FROM replaced`,
    [sessionOf(person)],
  );
  const ended = `SELECT FROM refresh_tokens
    WHERE session_id = $1 AND revoked_at IS NULL AND created_at < now() - interval '30 seconds'`;
  await until(async () => ((await t.sql(ended, [sessionOf(person)])).length > 0 ? true : null));
  await lock.release();
  const response = expectStatus(await refresh, 200);
  expect(response.headers.getSetCookie()).toEqual([]);
  await expectNoTheft(other);
});
