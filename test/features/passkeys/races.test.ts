import { expect, test } from "bun:test";
import {
  assertion,
  PASSKEYS,
  passkeyProof,
  register,
  SoftAuthenticator,
  signIn,
  withPasskey,
} from "../../support/authenticator.ts";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { holdUserLock, inLine } from "../../support/locks.ts";
import { browser, sharedOidc } from "../../support/oidc.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus } from "../../support/service.ts";
import { liveRows, resetToken } from "../../support/sessions.ts";
import { challenge, verify, withTwoFactor } from "../../support/two-factor.ts";

/*
 * Concurrent calls about passkeys to two instances: each test holds the user's lock until all calls wait for it, then releases it.
 * Above each test: the code without which it fails. `bun run proof planted passkey` removes it.
 */
const { t, oidc } = await sharedOidc();
const other = await t.beside();
const url = (index: number) => (index % 2 === 0 ? t.url : other.url);
const visitor = (index: number) => t.anonymous(url(index));
const VERIFY = "/api/auth/passkey/verify";
const REFUSED = "401 INVALID_PASSKEY";

/** Queues the calls for the user's lock in this order, then releases it; returns the outcomes. */
const ofUser = async (person: Caller, ...calls: (() => Promise<ApiResponse>)[]): Promise<string[]> =>
  (await inLine(await holdUserLock(t, person.email), ...calls)).map(outcome);

const forgetPassword = (person: Caller) =>
  t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);

// The test fails without `useChallengeOnce` in `verifyOnce` (src/core/accounts/passkey-assertions.ts).
test("one assertion, sent twice at once, starts one session and proves the identity once", async () => {
  for (const synced of [true, false]) {
    const { person, authenticator } = await withPasskey(
      await t.person(),
      new SoftAuthenticator({ synced, counter: synced ? 0 : 10 }),
    );
    const body = await assertion(visitor(0), authenticator);
    const send = (index: number) => () => visitor(index).post(VERIFY, body);
    expect(await ofUser(person, send(0), send(1))).toEqual(["200", "401 UNAUTHENTICATED"]);
    expect(await liveRows(t, person.email)).toHaveLength(2);
    const proof = await passkeyProof(person, authenticator);
    const prove = (index: number) => () => person.at(url(index)).post("/api/profile/reauthenticate", proof);
    expect(await ofUser(person, prove(0), prove(1))).toEqual(["204", "400 INVALID_PASSKEY"]);
    expect((await person.get(PASSKEYS)).body[0].status).toBe("ACTIVE");
  }
});

// The test fails without the second `findUsablePasskey`, under the lock (src/features/passkeys/sign-in.ts).
test("of two assertions with the same counter at once, the second blocks a device-bound passkey", async () => {
  const bound = new SoftAuthenticator({ synced: false, counter: 10 });
  const { person } = await withPasskey(await t.person(), bound);
  const [first, second] = [
    await assertion(visitor(0), bound, { counter: 20 }),
    await assertion(visitor(1), bound, { counter: 20 }),
  ];
  const calls = [first, second].map((body, index) => () => visitor(index).post(VERIFY, body));
  expect(await ofUser(person, ...calls)).toEqual(["200", REFUSED]);
  expect((await person.get(PASSKEYS)).body[0].status).toBe("BLOCKED");
});

// The test fails without the condition on the counter that was read (usePasskey, sql/people/passkeys.sql) if the passkey is not read
// under the lock either.
test("of two assertions with the same counter at once, one starts a session", async () => {
  const bound = new SoftAuthenticator({ synced: false, counter: 10 });
  const { person } = await withPasskey(await t.person(), bound);
  const bodies = [
    await assertion(visitor(0), bound, { counter: 20 }),
    await assertion(visitor(1), bound, { counter: 20 }),
  ];
  const calls = bodies.map((body, index) => () => visitor(index).post(VERIFY, body));
  expect((await ofUser(person, ...calls)).filter((one) => one === "200")).toHaveLength(1);
});

// The test fails without `assertWayInLeft` after each removal, and without the user's lock before it (`lockAccount`).
test("the removal of the last two ways in at once leaves one, in either order", async () => {
  for (const isPasskeyFirst of [true, false]) {
    const { person, passkey } = await withPasskey(await t.person());
    await browser(t, oidc, person).link(oidc.person());
    await forgetPassword(person);
    const calls = [
      () => person.at(url(0)).delete(`${PASSKEYS}/${passkey.id}`),
      () => person.at(url(1)).delete("/api/profile/identities/acme"),
    ];
    const ordered = isPasskeyFirst ? calls : calls.toReversed();
    expect(await ofUser(person, ...ordered)).toEqual(["204", "409 CONFLICT"]);
  }
});

// The test fails without the user's lock of either call (`lockAccount`).
test("a passkey that is added while the last way in is removed counts once it is committed", async () => {
  for (const isAddedFirst of [true, false]) {
    const { person, passkey } = await withPasskey(await t.person());
    await forgetPassword(person);
    const { challengeToken, options } = (await person.post(`${PASSKEYS}/options`)).body;
    const response = new SoftAuthenticator().create(options);
    const calls = [
      () => person.at(url(0)).post(PASSKEYS, { challengeToken, response }),
      () => person.at(url(1)).delete(`${PASSKEYS}/${passkey.id}`),
    ];
    const outcomes = await ofUser(person, ...(isAddedFirst ? calls : calls.toReversed()));
    expect(outcomes).toEqual(isAddedFirst ? ["201", "204"] : ["409 CONFLICT", "201"]);
    expect((await person.get(PASSKEYS)).body.length).toBeGreaterThan(0);
  }
});

// The test fails without the second `findUsablePasskey` (src/features/passkeys/sign-in.ts) and the condition of `usePasskey`.
test("a sign-in that waits for the removal of its passkey starts no session", async () => {
  const { person, authenticator, passkey } = await withPasskey(await t.person());
  const body = await assertion(visitor(0), authenticator);
  const remove = () => person.at(url(1)).delete(`${PASSKEYS}/${passkey.id}`);
  expect(await ofUser(person, remove, () => visitor(0).post(VERIFY, body))).toEqual(["204", REFUSED]);
  expect(await liveRows(t, person.email)).toHaveLength(1);

  // The removal by an administrator ends sessions of a sign-in before it.
  const other = await withPasskey(await t.person());
  const root = await t.platformAdmin();
  const begun = await assertion(visitor(0), other.authenticator);
  const reset = () => root.at(url(1)).delete(`/api/users/${idOf(other.person)}/passkeys`);
  expect(await ofUser(other.person, () => visitor(0).post(VERIFY, begun), reset)).toEqual(["200", "204"]);
  expect(await liveRows(t, other.person.email)).toHaveLength(1);
});

// The test fails without `assertPasskeyStays` (src/core/accounts/prove-passkey.ts).
test("a proof by a passkey is void if the passkey is removed before it takes effect", async () => {
  const { person, authenticator, passkey } = await withPasskey(await t.person());
  const proof = await passkeyProof(person, authenticator);
  const lock = await holdUserLock(t, person.email);
  const proved = person.at(url(0)).post("/api/profile/reauthenticate", proof);
  await lock.waiting(1);
  const removed = person.at(url(1)).delete(`${PASSKEYS}/${passkey.id}`);
  await lock.waiting(2);
  // The assertion is checked in a transaction of its own; the removal gets the lock between it and the effect.
  await lock.release();
  expect([outcome(await proved), outcome(await removed)]).toEqual(["400 INVALID_PASSKEY", "204"]);
});

// The test fails without the second findChallenge, under the lock (src/features/two-factor/verify.ts).
test("a second step with a passkey that waits for a password reset finds its challenge dead", async () => {
  const { person } = await withTwoFactor(t);
  const { authenticator } = await withPasskey(person);
  const { browser: waiting, challengeToken } = await challenge(person, url(0));
  const { options } = (await waiting.post("/api/auth/2fa/passkey/options", { challengeToken })).body;
  const passkey = { response: authenticator.get(options) };
  const token = await resetToken(t, person.email);
  const reset = () =>
    visitor(1).post("/api/auth/reset-password", { token, newPassword: "a longer blue yonder" });
  expect(await ofUser(person, reset, () => verify(waiting, { challengeToken, passkey }))).toEqual([
    "204",
    "401 UNAUTHENTICATED",
  ]);
  expect(await liveRows(t, person.email)).toEqual([]);
  expect(outcome(await signIn(visitor(0), authenticator))).toBe("200");
});

// The test fails without the unique constraint of `credential_id` and its ON CONFLICT (insertPasskey, sql/passkeys.sql).
test("a credential that two accounts add at once belongs to one", async () => {
  const authenticator = new SoftAuthenticator();
  const people = [await t.person(), await t.person()];
  const both = await Promise.all(people.map((person, at) => register(person.at(url(at)), authenticator)));
  expect(both.map(outcome).sort()).toEqual(["201", "409 PASSKEY_EXISTS"]);
});

test("two passkeys are not added beyond the most at once", async () => {
  const person = await t.person();
  for (let count = 0; count < 19; count += 1) expectStatus(await register(person), 201);
  const bodies = [];
  for (let at = 0; at < 2; at += 1) {
    const { challengeToken, options } = (await person.post(`${PASSKEYS}/options`)).body;
    bodies.push({ challengeToken, response: new SoftAuthenticator().create(options) });
  }
  const calls = bodies.map((body, at) => () => person.at(url(at)).post(PASSKEYS, body));
  expect(await ofUser(person, ...calls)).toEqual(["201", "409 CONFLICT"]);
});
