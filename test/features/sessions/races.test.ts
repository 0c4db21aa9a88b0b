import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { holdUserLock, holdUserRow } from "../../support/locks.ts";
import { ROUNDS, race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, resetToken, sameBrowser, tokenRows } from "../../support/sessions.ts";

/*
 * Above each test: the code without which it fails. If the order of two calls matters, the test holds the user's lock
 * until both wait for it; otherwise they run freely on two instances.
 */
// Each round of failing refreshes uses another IP address, because failures of one address are limited.
const t = await startService({ TRUST_PROXY: "1" });
const other = await t.beside();
const url = (index: number) => (index % 2 === 0 ? t.url : other.url);

const sessionOf = (caller: Caller) => claimsOf(caller.accessToken ?? "").sid;

async function theftEvents(email: string) {
  return t.sql(
    `SELECT 1 FROM audit_events a JOIN users u ON u.id = a.target_id
     WHERE action = 'REFRESH_TOKEN_REUSED' AND u.email = $1`,
    [email],
  );
}

// The test fails without lockUsers (src/features/sessions/refresh.ts).
test("of 20 parallel refreshes of one cookie exactly one replaces it; the others return access tokens of the session without a cookie", async () => {
  const person = await t.person();
  for (let round = 0; round < ROUNDS; round += 1) {
    const browser = await inAnotherBrowser(person);
    const session = sessionOf(browser);
    const responses = await race(20, (index) => browser.at(url(index)).refresh());

    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const cookies = responses.flatMap(({ headers }) => headers.getSetCookie());
    expect(cookies).toHaveLength(1);
    for (const { body } of responses) expect(claimsOf(body.accessToken).sid).toBe(session);
    const rows = (await tokenRows(t, person.email)).filter(({ session_id }) => session_id === session);
    expect(rows.map(({ revoked_at }) => revoked_at === null)).toEqual([false, true]);

    browser.cookie = responses.find(({ cookie }) => cookie !== null)?.cookie ?? null;
    expectStatus(await browser.refresh(), 200);
    expectStatus(await browser.post("/api/auth/logout"), 204);
  }
  expect(await theftEvents(person.email)).toEqual([]);
});

// The test fails without lockUsers (src/features/sessions/logout.ts).
for (const cookie of ["the cookie", "no cookie"]) {
  test(`a logout with ${cookie} during a refresh also ends the new refresh token`, async () => {
    const person = await t.person();
    const row = await holdUserRow(t, person.email);
    const refresh = sameBrowser(person).refresh();
    await row.waiting(1);
    if (cookie === "no cookie") person.cookie = null;
    const logout = person.post("/api/auth/logout");
    await row.waiting(2);
    await row.release();
    expectStatus(await refresh, 200);
    expectStatus(await logout, 204);
    expect(await liveRows(t, person.email)).toEqual([]);
  });
}

// The test fails unless revokeSession revokes all tokens of the session (src/features/sessions/logout.ts).
test("a logout concurrent with refreshes leaves no valid refresh token", async () => {
  const person = await t.person();
  for (let round = 0; round < ROUNDS; round += 1) {
    const browser = await inAnotherBrowser(person);
    const [logout] = await Promise.all([
      browser.at(url(round)).post("/api/auth/logout"),
      ...[1, 2, 3].map((index) => browser.at(url(round + index)).refresh()),
    ]);
    expectStatus(logout, 204);
    const rows = await liveRows(t, person.email);
    expect(rows.filter(({ session_id }) => session_id === sessionOf(browser))).toEqual([]);
  }
});

// The test fails without lockUsers before the sessions are ended (src/features/accounts/reset-password.ts).
test("after a password reset concurrent with refreshes and logins, only sessions of the new password are valid", async () => {
  const person = await t.person();
  for (let round = 0; round < ROUNDS; round += 1) {
    const browsers = [await inAnotherBrowser(person), await inAnotherBrowser(person)];
    await t.sql("DELETE FROM password_reset_tokens");
    const token = await resetToken(t, person.email);
    const oldPassword = person.account.password;
    const newPassword = `another blue yonder ${round}`;

    let isOver = false;
    const [reset] = await Promise.all([
      person
        .at(url(0))
        .post("/api/auth/reset-password", { token, newPassword })
        .finally(() => {
          isOver = true;
        }),
      ...browsers.map(async (browser, index) => {
        const refreshing = browser.at(url(index));
        while (!isOver && (await refreshing.refresh()).status === 200);
      }),
      t.anonymous(url(1)).post("/api/auth/login", { email: person.email, password: oldPassword }),
    ]);
    expectStatus(reset, 204);
    expect(await tokenRows(t, person.email)).toEqual([]);
    person.account.password = newPassword;
    expectStatus(await person.login(), 200);
  }
  expect(await theftEvents(person.email)).toEqual([]);
});

// The test fails without the condition user.passwordHash !== found.passwordHash (src/features/sessions/login.ts).
test("a login gets no session if the password is reset while its hash is checked", async () => {
  const person = await t.person();
  const token = await resetToken(t, person.email);
  const lock = await holdUserLock(t, person.email);
  const reset = t.anonymous().post("/api/auth/reset-password", { token, newPassword: "a new blue yonder" });
  await lock.waiting(1);
  const login = elsewhereLogin(person);
  await lock.waiting(2);
  await lock.release();

  expectStatus(await reset, 204);
  expect((await login).body.code).toBe("INVALID_CREDENTIALS");
  expect((await login).cookie).toBeNull();
  expect(await tokenRows(t, person.email)).toEqual([]);
});

function elsewhereLogin({ account }: Caller) {
  return t.anonymous(url(1)).post("/api/auth/login", account);
}

// The test fails without the condition user === undefined (src/features/sessions/login.ts).
test("a login gets no session if the account is deleted while its hash is checked", async () => {
  const person = await t.person();
  const lock = await holdUserLock(t, person.email);
  const login = elsewhereLogin(person);
  await lock.waiting(1);
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [person.email]);
  await lock.release();
  expect((await login).body.code).toBe("INVALID_CREDENTIALS");
});

// The test fails unless lockRefreshToken reads the token after the lock (src/features/sessions/refresh.ts).
test("a refresh is 401, without counting as token reuse, if its session is deleted while it waits for the lock", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const lock = await holdUserLock(t, person.email);
  const refresh = sameBrowser(person).refresh();
  await lock.waiting(1);
  await t.sql("DELETE FROM refresh_tokens WHERE session_id = $1", [sessionOf(person)]);
  await lock.release();
  expect([(await refresh).status, (await refresh).cookie]).toEqual([401, ""]);
  expectStatus(await other.refresh(), 200);
  expect(await theftEvents(person.email)).toEqual([]);
});

// The test fails without clock_timestamp() in rotateRefreshToken (sql/sessions.sql).
test("the grace period begins when the cookie is replaced, even if the refresh waited for the lock before", async () => {
  const person = await t.person();
  const stale = sameBrowser(person);
  const lock = await holdUserLock(t, person.email);
  const rotation = person.refresh();
  await lock.waiting(1);
  const [before] = await t.sql<{ time: string }>(
    "SELECT date_trunc('milliseconds', clock_timestamp())::text AS time",
  );
  await lock.release();
  expectStatus(await rotation, 200);
  const successor = (await tokenRows(t, person.email)).at(-1);
  const begun = "SELECT created_at >= $2::timestamptz AS after_wait FROM refresh_tokens WHERE id = $1";
  expect(await t.sql(begun, [successor?.id, before?.time])).toEqual([{ after_wait: true }]);
  await t.age("refresh_tokens", { id: successor?.id }, { seconds: 20 });
  expectStatus(await stale.refresh(), 200);
});

// The test fails without lockUsers (src/features/sessions/refresh.ts).
test("parallel uses of a stolen cookie end all sessions once, with one audit event and one mail", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await t.person();
    const stale = sameBrowser(person);
    await person.refresh();
    await person.refresh();
    const from = { headers: { "x-forwarded-for": `192.0.2.${round + 1}` } };
    const responses = await race(10, (index) => stale.at(url(index)).refresh(from));
    expect(responses.map(({ status, cookie }) => [status, cookie])).toEqual(Array(10).fill([401, ""]));
    expect(await tokenRows(t, person.email)).toEqual([]);
    expect(await theftEvents(person.email)).toHaveLength(1);
  }
});

// The test fails without lockForSignIn (src/features/sessions/start.ts).
test("parallel sign-ins leave at most ten sessions, the newest ones", async () => {
  const person = await t.person();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let count = 0; count < 8; count += 1) await inAnotherBrowser(person);
    // Four sign-ins: on each of two instances, two sign-ins of one email may wait for their password hash.
    const browsers = await race(4, (index) => inAnotherBrowser(person, url(index)));
    expect(await liveRows(t, person.email)).toHaveLength(10);
    const refreshed = await race(4, (index) => browsers[index]?.refresh() ?? Promise.reject());
    expect(refreshed.map(({ status }) => status)).toEqual(Array(4).fill(200));
  }
  expect(await theftEvents(person.email)).toEqual([]);
});

// The test fails without clock_timestamp() in insertSession (sql/sessions.sql).
test("a sign-in that waited for the lock is not ended by the session limit in favor of sessions that were used meanwhile", async () => {
  const person = await t.person();
  for (let count = 0; count < 9; count += 1) await inAnotherBrowser(person);
  const lock = await holdUserLock(t, person.email);
  const late = elsewhereLogin(person);
  await lock.waiting(1);
  // All other sessions were used while the sign-in waited.
  await t.sql("UPDATE refresh_tokens SET created_at = clock_timestamp()");
  await lock.release();
  expectStatus(await late, 200);
  const caller = t.anonymous();
  caller.cookie = (await late).cookie;
  expectStatus(await caller.refresh(), 200);
});

// The test fails unless deleteExcessSessions deletes all rows of a session, under lockForSignIn
// (src/features/sessions/start.ts).
test("a refresh concurrent with the end of its session by the session limit is 200, or 401 without counting as token reuse", async () => {
  const person = await t.person();
  for (let round = 0; round < ROUNDS; round += 1) {
    const oldest = await inAnotherBrowser(person);
    for (let count = 0; count < 9; count += 1) await inAnotherBrowser(person);
    const [refreshed] = await Promise.all([oldest.at(url(0)).refresh(), elsewhereLogin(person)]);
    expect([200, 401]).toContain(refreshed.status);
    const rows = await liveRows(t, person.email);
    expect(rows).toHaveLength(10);
    const isAlive = rows.some(({ session_id }) => session_id === sessionOf(oldest));
    expect(isAlive).toBe(refreshed.status === 200);
  }
  expect(await theftEvents(person.email)).toEqual([]);
});

// The test fails without the sorting of lock keys (src/core/locks.ts).
test("two users who concurrently sign in with each other's refresh cookie both succeed, without a deadlock", async () => {
  const [one, two] = [await t.person(), await t.person()];
  const locks = [await holdUserLock(t, one.email), await holdUserLock(t, two.email)] as const;
  const first = sameBrowser(one).post("/api/auth/login", two.account);
  const second = sameBrowser(two).post("/api/auth/login", one.account);
  await locks[0].waiting(2);
  await Promise.all(locks.map((lock) => lock.release()));
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  for (const person of [one, two]) {
    expect(await liveRows(t, person.email)).toHaveLength(1);
    expect((await person.refresh()).status).toBe(401);
  }
});
