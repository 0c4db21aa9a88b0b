import { expect, setDefaultTimeout, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { holdUserLock } from "../../support/locks.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { liveRows, resetToken } from "../../support/sessions.ts";
import {
  challenge,
  codeOfStep,
  currentStep,
  type Factor,
  fromBase32,
  SLOW_TIMEOUT_MS,
  untilStepLasts,
  verify,
  withTwoFactor,
} from "../../support/two-factor.ts";

/*
 * Codes, challenges and what ends them at once, over two processes: the test holds the user's lock, lets the calls line
 * up behind it, and lets go. Each names the line whose removal it must notice.
 */
setDefaultTimeout(SLOW_TIMEOUT_MS);
const t = await startService();
const [one, two] = await t.cluster(2);
const url = (index: number) => (index % 2 === 0 ? one?.url : two?.url) ?? t.url;

const newPassword = "a new blue yonder";

/** Makes the calls one after the other, but none gets any further than to the lock before all are there. */
async function inLine(person: Caller, ...calls: (() => Promise<ApiResponse>)[]): Promise<string[]> {
  const lock = await holdUserLock(t, person.email);
  const answers: Promise<ApiResponse>[] = [];
  for (const call of calls) {
    answers.push(call());
    await lock.waiting(answers.length);
  }
  await lock.release();
  return (await Promise.all(answers)).map(outcome);
}

// src/features/two-factor/verify.ts: the second findChallenge
test("one challenge and one code, used concurrently, start one session", async () => {
  const { person, code, recoveryCodes } = await withTwoFactor(t);
  const { challengeToken } = await challenge(person);
  const answers = await inLine(
    person,
    () => verify(t.anonymous(url(0)), { challengeToken, code: code() }),
    () => verify(t.anonymous(url(1)), { challengeToken, code: code() }),
    () => verify(t.anonymous(url(0)), { challengeToken, recoveryCode: recoveryCodes[0] }),
  );
  expect(answers).toEqual(["200", "401 UNAUTHENTICATED", "401 UNAUTHENTICATED"]);
  expect(await liveRows(t, person.email)).toHaveLength(2);
  expect((await person.get("/api/profile/2fa")).body.recoveryCodesLeft).toBe(10);
});

// src/features/two-factor/totp.ts: near > lastStep; sql/two-factor.sql: the condition of useStep
test("one code, used concurrently for several challenges and in the profile, works once", async () => {
  const { person, code } = await withTwoFactor(t);
  const waiting = [await challenge(person, url(0)), await challenge(person, url(1))];
  await untilStepLasts();
  const same = code();
  const answers = await inLine(
    person,
    ...waiting.map(
      ({ browser, challengeToken }) =>
        () =>
          verify(browser, { challengeToken, code: same }),
    ),
    () => person.at(url(1)).post("/api/profile/2fa/recovery-codes", { code: same }),
  );
  expect(answers).toEqual(["200", "401 INVALID_TWO_FACTOR_CODE", "400 INVALID_TWO_FACTOR_CODE"]);
});

// sql/two-factor.sql: the condition of useRecoveryCode
test("one recovery code, used concurrently for several challenges and in the profile, works once", async () => {
  const { person, recoveryCodes } = await withTwoFactor(t);
  const [recoveryCode] = recoveryCodes;
  const waiting = [await challenge(person, url(0)), await challenge(person, url(1))];
  const { password } = person.account;
  const answers = await inLine(
    person,
    ...waiting.map(
      ({ browser, challengeToken }) =>
        () =>
          verify(browser, { challengeToken, recoveryCode }),
    ),
    () => person.at(url(1)).post("/api/profile/2fa/disable", { password, code: recoveryCode }),
  );
  expect(answers).toEqual(["200", "401 INVALID_TWO_FACTOR_CODE", "400 INVALID_TWO_FACTOR_CODE"]);
});

// src/core/accounts/reauthenticate.ts: the second refuse
test("of two concurrent calls that enable the factor one succeeds, and its recovery codes are valid", async () => {
  const person = await t.person();
  const { password } = person.account;
  const { secret } = (await person.post("/api/profile/2fa/setup", { password })).body;
  const code = codeOfStep(fromBase32(secret), currentStep());
  const codes: string[][] = [];
  const turnOn = (index: number) => async () => {
    const answer = await person.at(url(index)).post("/api/profile/2fa/enable", { code });
    codes.push(answer.body.recoveryCodes ?? []);
    return answer;
  };
  const again = () => person.at(url(1)).post("/api/profile/2fa/setup", { password });
  expect(await inLine(person, turnOn(0), turnOn(1), again)).toEqual([
    "200",
    "409 TWO_FACTOR_ALREADY_ENABLED",
    "409 TWO_FACTOR_ALREADY_ENABLED",
  ]);
  const { browser, challengeToken } = await challenge(person);
  const [recoveryCode] = codes.flat();
  expectStatus(await verify(browser, { challengeToken, recoveryCode }), 200);
});

// src/features/sessions/login.ts: findUserByEmail under the lock
test("a sign-in whose password was checked before the factor was enabled still gets a challenge", async () => {
  const person = await t.person();
  const { password } = person.account;
  const { secret } = (await person.post("/api/profile/2fa/setup", { password })).body;
  const code = codeOfStep(fromBase32(secret), currentStep());
  const other = t.anonymous(url(1));
  const answers = await inLine(
    person,
    () => person.at(url(0)).post("/api/profile/2fa/enable", { code }),
    () => other.post("/api/auth/login", person.account),
  );
  expect(answers).toEqual(["200", "200"]);
  expect([other.accessToken, other.cookie]).toEqual([null, null]);
  expect(await liveRows(t, person.email)).toHaveLength(1);
});

const ENDS: Record<string, (factor: Factor) => Promise<() => Promise<ApiResponse>>> = {
  // src/features/profile/password.ts: discardPendingTwoFactor
  "a password change": async ({ person }) => {
    const body = { currentPassword: person.account.password, newPassword };
    return () => person.at(url(0)).post("/api/profile/password", body);
  },
  // src/features/accounts/reset-password.ts: discardPendingTwoFactor
  "a password reset": async ({ person }) => {
    const body = { token: await resetToken(t, person.email), newPassword };
    return () => t.anonymous(url(0)).post("/api/auth/reset-password", body);
  },
  // src/core/accounts/turn-off-two-factor.ts: endChallenges
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
  test(`${end} before the second factor invalidates the challenge`, async () => {
    const factor = await withTwoFactor(t);
    const { person, code } = factor;
    const call = await prepare(factor);
    const { browser, challengeToken } = await challenge(person, url(1));
    const [ended, verified] = await inLine(person, call, () =>
      verify(browser, { challengeToken, code: code(1) }),
    );
    expect(ended).toMatch(/^20/);
    expect(verified).toBe("401 UNAUTHENTICATED");
    expect(browser.cookie).toBeNull();
  });
}

test("a password change after the second factor ends that session, too", async () => {
  const { person, code } = await withTwoFactor(t);
  const { browser, challengeToken } = await challenge(person, url(1));
  const body = { currentPassword: person.account.password, newPassword };
  const answers = await inLine(
    person,
    () => verify(browser, { challengeToken, code: code() }),
    () => person.at(url(0)).post("/api/profile/password", body),
  );
  expect(answers).toEqual(["200", "204"]);
  expect(outcome(await browser.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expectStatus(await person.refresh(), 200);
});

// src/core/accounts/reauthenticate.ts: isOutdated
test("a password changed while it is checked is wrong", async () => {
  const person = await t.person();
  const change = (password: string, index: number) => () =>
    person.at(url(index)).post("/api/profile/password", {
      currentPassword: person.account.password,
      newPassword: password,
    });
  const answers = await inLine(person, change(newPassword, 0), change("another blue yonder", 1));
  expect(answers).toEqual(["204", "400 INVALID_CREDENTIALS"]);
  expectStatus(await person.login(newPassword), 200);
});
