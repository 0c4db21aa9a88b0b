import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { holdUserLock, inLine } from "../../support/locks.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";
import { liveRows, resetToken } from "../../support/sessions.ts";
import {
  challenge,
  codeOfStep,
  currentStep,
  type Factor,
  fromBase32,
  untilStepLasts,
  verify,
  withTwoFactor,
} from "../../support/two-factor.ts";

/*
 * Concurrent calls about codes and challenges to two processes: each test holds the user's lock until all calls wait for
 * it, then releases it. Above each test: the code without which it fails.
 */
const { t, url } = await raceCluster();

const newPassword = "a new blue yonder";

/** Queues the calls for the user's lock in this order, then releases it; returns the outcomes. */
const ofUser = async (person: Caller, ...calls: (() => Promise<ApiResponse>)[]): Promise<string[]> =>
  (await inLine(await holdUserLock(t, person.email), ...calls)).map(outcome);

// The test fails without the second findChallenge, under the lock (src/features/two-factor/verify.ts).
test("one challenge, used concurrently with correct codes, starts exactly one session", async () => {
  const { person, code, recoveryCodes } = await withTwoFactor(t);
  const { challengeToken } = await challenge(person);
  const responses = await ofUser(
    person,
    () => verify(t.anonymous(url(0)), { challengeToken, code: code() }),
    () => verify(t.anonymous(url(1)), { challengeToken, code: code() }),
    () => verify(t.anonymous(url(0)), { challengeToken, recoveryCode: recoveryCodes[0] }),
  );
  expect(responses).toEqual(["200", "401 UNAUTHENTICATED", "401 UNAUTHENTICATED"]);
  expect(await liveRows(t, person.email)).toHaveLength(2);
  expect((await person.get("/api/profile/2fa")).body.recoveryCodesLeft).toBe(10);
});

// The test fails without the condition near > lastStep (src/features/two-factor/totp.ts) and the condition of useStep
// (sql/two-factor.sql).
test("one code of the app, used concurrently for several challenges and in the profile, works exactly once", async () => {
  const { person, code } = await withTwoFactor(t);
  const waiting = [await challenge(person, url(0)), await challenge(person, url(1))];
  await untilStepLasts();
  const same = code();
  const responses = await ofUser(
    person,
    ...waiting.map(
      ({ browser, challengeToken }) =>
        () =>
          verify(browser, { challengeToken, code: same }),
    ),
    () => person.at(url(1)).post("/api/profile/2fa/recovery-codes", { code: same }),
  );
  expect(responses).toEqual(["200", "401 INVALID_TWO_FACTOR_CODE", "400 INVALID_TWO_FACTOR_CODE"]);
});

// The test fails without the condition of useRecoveryCode (sql/two-factor.sql).
test("one recovery code, used concurrently for several challenges and in the profile, works exactly once", async () => {
  const { person, recoveryCodes } = await withTwoFactor(t);
  const [recoveryCode] = recoveryCodes;
  const waiting = [await challenge(person, url(0)), await challenge(person, url(1))];
  const { password } = person.account;
  const responses = await ofUser(
    person,
    ...waiting.map(
      ({ browser, challengeToken }) =>
        () =>
          verify(browser, { challengeToken, recoveryCode }),
    ),
    () => person.at(url(1)).post("/api/profile/2fa/disable", { password, code: recoveryCode }),
  );
  expect(responses).toEqual(["200", "401 INVALID_TWO_FACTOR_CODE", "400 INVALID_TWO_FACTOR_CODE"]);
});

// The test fails without the second call of `refuse` (src/core/accounts/reauthenticate.ts).
test("of two concurrent calls that enable the factor exactly one succeeds, and its recovery codes are valid", async () => {
  const person = await t.person();
  const { password } = person.account;
  const { secret } = (await person.post("/api/profile/2fa/setup", { password })).body;
  const code = codeOfStep(fromBase32(secret), currentStep());
  const codes: string[][] = [];
  const turnOn = (index: number) => async () => {
    const response = await person.at(url(index)).post("/api/profile/2fa/enable", { code });
    codes.push(response.body.recoveryCodes ?? []);
    return response;
  };
  const again = () => person.at(url(1)).post("/api/profile/2fa/setup", { password });
  expect(await ofUser(person, turnOn(0), turnOn(1), again)).toEqual([
    "200",
    "409 TWO_FACTOR_ALREADY_ENABLED",
    "409 TWO_FACTOR_ALREADY_ENABLED",
  ]);
  const { browser, challengeToken } = await challenge(person);
  const [recoveryCode] = codes.flat();
  expectStatus(await verify(browser, { challengeToken, recoveryCode }), 200);
});

// The test fails without findUserByEmail under the lock (src/features/sessions/login.ts).
test("a sign-in whose password was checked before the factor was enabled still gets a challenge", async () => {
  const person = await t.person();
  const { password } = person.account;
  const { secret } = (await person.post("/api/profile/2fa/setup", { password })).body;
  const code = codeOfStep(fromBase32(secret), currentStep());
  const other = t.anonymous(url(1));
  const responses = await ofUser(
    person,
    () => person.at(url(0)).post("/api/profile/2fa/enable", { code }),
    () => other.post("/api/auth/login", person.account),
  );
  expect(responses).toEqual(["200", "200"]);
  expect([other.accessToken, other.cookie]).toEqual([null, null]);
  expect(await liveRows(t, person.email)).toHaveLength(1);
});

const ENDS: Record<string, (factor: Factor) => Promise<() => Promise<ApiResponse>>> = {
  // The test fails without discardPendingTwoFactor (src/features/profile/password.ts).
  "a password change": async ({ person }) => {
    const body = { currentPassword: person.account.password, newPassword };
    return () => person.at(url(0)).post("/api/profile/password", body);
  },
  // The test fails without discardPendingTwoFactor (src/features/accounts/reset-password.ts).
  "a password reset": async ({ person }) => {
    const body = { token: await resetToken(t, person.email), newPassword };
    return () => t.anonymous(url(0)).post("/api/auth/reset-password", body);
  },
  // The test fails without endChallenges (src/core/accounts/second-factor.ts).
  "turning it off": async ({ person, recoveryCodes }) => {
    const body = { password: person.account.password, code: recoveryCodes[0] };
    return () => person.at(url(0)).post("/api/profile/2fa/disable", body);
  },
  "a platform administrator's reset": async ({ person }) => {
    const admin = await t.platformAdmin();
    return () => admin.at(url(0)).delete(`/api/users/${idOf(person)}/2fa`);
  },
  "the end of the account": async ({ person, recoveryCodes }) => {
    const body = { password: person.account.password, code: recoveryCodes[0] };
    return () => person.at(url(0)).post("/api/profile/delete", body);
  },
};
for (const [end, prepare] of Object.entries(ENDS)) {
  test(`${end} that gets the lock before the code of a challenge is checked invalidates the challenge`, async () => {
    const factor = await withTwoFactor(t);
    const { person, code } = factor;
    const call = await prepare(factor);
    const { browser, challengeToken } = await challenge(person, url(1));
    const [ended, verified] = await ofUser(person, call, () =>
      verify(browser, { challengeToken, code: code(1) }),
    );
    expect(ended).toMatch(/^20/);
    expect(verified).toBe("401 UNAUTHENTICATED");
    expect(browser.cookie).toBeNull();
  });
}

test("a password change that gets the lock after a code has started a session ends that session", async () => {
  const { person, code } = await withTwoFactor(t);
  const { browser, challengeToken } = await challenge(person, url(1));
  const body = { currentPassword: person.account.password, newPassword };
  const responses = await ofUser(
    person,
    () => verify(browser, { challengeToken, code: code() }),
    () => person.at(url(0)).post("/api/profile/password", body),
  );
  expect(responses).toEqual(["200", "204"]);
  expect(outcome(await browser.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expectStatus(await person.refresh(), 200);
});

// The test fails without isOutdated (src/core/accounts/reauthenticate.ts).
test("a password that is changed while it is checked is treated as wrong", async () => {
  const person = await t.person();
  const change = (password: string, index: number) => () =>
    person.at(url(index)).post("/api/profile/password", {
      currentPassword: person.account.password,
      newPassword: password,
    });
  const responses = await ofUser(person, change(newPassword, 0), change("another blue yonder", 1));
  expect(responses).toEqual(["204", "400 INVALID_CREDENTIALS"]);
  expectStatus(await person.login(newPassword), 200);
});
