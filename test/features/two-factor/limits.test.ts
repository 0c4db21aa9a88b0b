import { expect, test } from "bun:test";
import { exactlyOne } from "../../../src/platform/db/prepared-query.ts";
import type { Caller } from "../../support/caller.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";
import { liveRows, resetToken } from "../../support/sessions.ts";
import { challenge, type Factor, verify, withTwoFactor, wrongCode } from "../../support/two-factor.ts";

/*
 * The limit of ten wrong passwords and codes of a user per 15 minutes, counted over all instances, challenges and routes.
 */
const { t, url } = await raceCluster();
const narrow = await t.beside({ THROTTLE_LIMIT: "3" });

const WRONG = "401 INVALID_TWO_FACTOR_CODE";
const LIMIT = "429 TOO_MANY_REQUESTS";

/** Signs in with a new challenge and this code. */
async function signIn({ person }: Factor, body: Record<string, unknown>, index = 0) {
  const { browser, challengeToken } = await challenge(person, url(index));
  return verify(browser, { challengeToken, ...body });
}

const open = new WeakMap<Factor, Awaited<ReturnType<typeof challenge>>[]>();

/** Sends a wrong code, alternating between two challenges and two instances. */
async function guess(factor: Factor, index = 0) {
  const challenges = open.get(factor) ?? [
    await challenge(factor.person, url(0)),
    await challenge(factor.person, url(1)),
  ];
  open.set(factor, challenges);
  const { browser, challengeToken } = challenges[index % 2] ?? exactlyOne([]);
  return outcome(await verify(browser, { challengeToken, code: wrongCode(factor) }));
}

/** Backdates a user's failed attempts, as if these seconds had passed. */
const wait = (person: Caller, seconds: number) =>
  t.age("failed_attempts", { user_id: idOf(person) }, { seconds });

test("after ten wrong codes at sign-in within 15 minutes, every code is 429, even a correct one", async () => {
  const factor = await withTwoFactor(t);
  const { person, recoveryCodes } = factor;
  for (let index = 0; index < 9; index += 1) expect(await guess(factor, index)).toBe(WRONG);
  expect(outcome(await signIn(factor, { recoveryCode: "wrong" }))).toBe(WRONG);

  const refused = await signIn(factor, { code: wrongCode(factor) }, 1);
  expect(outcome(refused)).toBe(LIMIT);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(14 * 60);
  expect(seconds).toBeLessThanOrEqual(15 * 60);
  expect(outcome(await signIn(factor, { code: factor.code() }))).toBe(LIMIT);
  expect(outcome(await signIn(factor, { recoveryCode: recoveryCodes[0] }, 1))).toBe(LIMIT);

  // The refused codes were not checked: they are still valid, and the refusals did not count.
  await wait(person, 15 * 60);
  expect(outcome(await signIn(factor, { code: factor.code() }))).toBe("200");
  expect(outcome(await signIn(factor, { recoveryCode: recoveryCodes[0] }))).toBe("200");
});

test("each wrong code counts for fifteen minutes against the limit of ten", async () => {
  const factor = await withTwoFactor(t);
  for (let index = 0; index < 5; index += 1) await guess(factor, index);
  await wait(factor.person, 14 * 60);
  for (let index = 0; index < 5; index += 1) expect(await guess(factor, index)).toBe(WRONG);
  const refused = await signIn(factor, { code: wrongCode(factor) });
  expect(outcome(refused)).toBe(LIMIT);
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  await wait(factor.person, 60);
  for (let index = 0; index < 5; index += 1) expect(await guess(factor, index)).toBe(WRONG);
  expect(await guess(factor)).toBe(LIMIT);
});

/** Stores wrong codes of a user that were sent `minutesAgo` minutes ago. */
const wrongBefore = (person: Caller, count: number, minutesAgo: number) =>
  t.sql(
    `INSERT INTO failed_attempts (user_id, place, failed_at)
     SELECT $1, 'SIGN_IN', now() - make_interval(mins => $3) FROM generate_series(1, $2::int)`,
    [idOf(person), count, minutesAgo],
  );

test("after twenty wrong codes in two hours, or forty in 24 hours, every code at sign-in is 429, even a correct one", async () => {
  for (const [count, hours] of [
    [20, 2],
    [40, 24],
  ] as const) {
    const factor = await withTwoFactor(t);
    const { person } = factor;
    await wrongBefore(person, count - 1, hours * 60 - 20);
    expect(await guess(factor)).toBe(WRONG);
    const refused = await signIn(factor, { code: factor.code() });
    expect(outcome(refused)).toBe(LIMIT);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(19 * 60);
    expect(seconds).toBeLessThanOrEqual(20 * 60);
    await wait(person, 20 * 60);
    expect(outcome(await signIn(factor, { code: factor.code() }))).toBe("200");
  }
});

test("if several limits of wrong codes are reached, Retry-After is the longest of them", async () => {
  const factor = await withTwoFactor(t);
  await wrongBefore(factor.person, 10, 30);
  for (let index = 0; index < 10; index += 1) expect(await guess(factor, index)).toBe(WRONG);
  const refused = await signIn(factor, { code: factor.code() });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(80 * 60);
});

test("a new password resets the limits of two and 24 hours, but not the count of the last fifteen minutes", async () => {
  const newPassword = "a new blue yonder";
  for (const [minutesAgo, expected] of [
    [30, "200"],
    [5, LIMIT],
  ] as const) {
    const factor = await withTwoFactor(t);
    const { person } = factor;
    await wrongBefore(person, 40, minutesAgo);
    expect(outcome(await signIn(factor, { code: factor.code() }))).toBe(LIMIT);
    const token = await resetToken(t, person.email);
    expectStatus(await t.anonymous().post("/api/auth/reset-password", { token, newPassword }), 204);
    person.account.password = newPassword;
    expect(outcome(await signIn(factor, { code: factor.code() }))).toBe(expected);
  }
});

test("after every ten wrong codes in 24 hours, the user gets a mail in their language", async () => {
  for (const [language, subject] of [
    ["en", "Wrong codes were entered for your account"],
    ["el", "Εισήχθησαν λανθασμένοι κωδικοί για τον λογαριασμό σας"],
  ] as const) {
    const factor = await withTwoFactor(t, await t.person({ language }));
    const { person } = factor;
    const warnings = async () => (await t.mailTo(person.email)).filter((mail) => mail.subject === subject);
    for (let index = 0; index < 9; index += 1) await guess(factor, index);
    expect(await warnings()).toEqual([]);
    expect(await guess(factor)).toBe(WRONG);
    const [first, ...more] = await warnings();
    expect(more).toEqual([]);
    expect(first?.text).toContain("10");
    expect(first?.links).toEqual([`${t.environment.APP_URL}/forgot-password`]);
    expect(await guess(factor)).toBe(LIMIT);
    expect(await warnings()).toHaveLength(1);

    await wait(person, 16 * 60);
    await wrongBefore(person, 9, 20);
    expect(await guess(factor)).toBe(WRONG);
    expect((await warnings()).at(-1)?.text).toContain("20");
  }
});

test("neither a correct code nor a new challenge resets the number of wrong codes", async () => {
  const factor = await withTwoFactor(t);
  for (let index = 0; index < 9; index += 1) await guess(factor, index);
  expect(outcome(await signIn(factor, { code: factor.code() }))).toBe("200");
  expect(await guess(factor)).toBe(WRONG);
  expect(await guess(factor, 1)).toBe(LIMIT);
});

// The test fails without lockForSignIn before assertAttemptsLeft (src/features/two-factor/verify.ts).
test("of concurrent wrong codes over two instances and many challenges exactly ten are checked, and a later correct one is refused", async () => {
  const factor = await withTwoFactor(t);
  const { person } = factor;
  // Challenges are created one after the other, because only few sign-ins of one email may wait at once.
  const challenges: Awaited<ReturnType<typeof challenge>>[] = [];
  for (let index = 0; index < 20; index += 1) challenges.push(await challenge(person, url(index)));
  const responses = await Promise.all(
    challenges.map(({ browser, challengeToken }) =>
      verify(browser, { challengeToken, code: wrongCode(factor) }),
    ),
  );
  const outcomes = responses.map(outcome).sort();
  expect(outcomes).toEqual([...new Array(10).fill(WRONG), ...new Array(10).fill(LIMIT)]);
  expect(outcome(await signIn(factor, { code: factor.code() }))).toBe(LIMIT);
  const failures = "SELECT FROM audit_events WHERE target_id = $1 AND action = 'LOGIN_FAILED'";
  expect(await t.sql(failures, [idOf(person)])).toHaveLength(10);
});

/** Calls one of the profile's routes that need a password or code, with a wrong one. */
const wrongInProfile = (factor: Factor, index: number) => {
  const person = factor.person.at(url(index));
  const { password } = person.account;
  const newPassword = "a new blue yonder";
  const ways = [
    () => person.post("/api/profile/password", { currentPassword: "wrong", newPassword }),
    () => person.post("/api/profile/delete", { password, code: wrongCode(factor) }),
    () => person.post("/api/profile/delete", { password: "wrong", code: factor.code() }),
    () => person.post("/api/profile/2fa/disable", { password, code: wrongCode(factor) }),
    () => person.post("/api/profile/2fa/disable", { password: "wrong", code: factor.recoveryCodes[0] }),
    () => person.post("/api/profile/2fa/recovery-codes", { code: wrongCode(factor) }),
  ];
  return ways[index % ways.length]?.() ?? Promise.reject(new Error("No such way"));
};

test("all routes of the profile together check at most ten wrong passwords and codes per 15 minutes", async () => {
  const factor = await withTwoFactor(t);
  const { person, recoveryCodes } = factor;
  const { password } = person.account;
  for (let index = 0; index < 10; index += 1) expect((await wrongInProfile(factor, index)).status).toBe(400);
  for (let index = 0; index < 6; index += 1) expect(outcome(await wrongInProfile(factor, index))).toBe(LIMIT);
  const newPassword = "a new blue yonder";
  const right = [
    await person.post("/api/profile/password", { currentPassword: password, newPassword }),
    await person.post("/api/profile/delete", { password, code: recoveryCodes[0] }),
    await person.post("/api/profile/2fa/disable", { password, code: factor.code() }),
    await person.post("/api/profile/2fa/recovery-codes", { code: factor.code() }),
  ];
  for (const response of right) {
    expect(outcome(response)).toBe(LIMIT);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(14 * 60);
  }
  await wait(person, 15 * 60);
  expectStatus(await person.post("/api/profile/2fa/disable", { password, code: factor.code() }), 204);
});

test("password checks of the setup and codes that enable the factor count against the profile's limit, before the state is checked", async () => {
  const person = await t.person();
  const { password } = person.account;
  for (let index = 0; index < 5; index += 1)
    expect(outcome(await person.post("/api/profile/2fa/setup", { password: "wrong" }))).toBe(
      "400 INVALID_CREDENTIALS",
    );
  expectStatus(await person.post("/api/profile/2fa/setup", { password }), 200);
  // The successful setup counts too: 5 wrong passwords, 1 correct one and 4 wrong codes are ten.
  for (let index = 0; index < 4; index += 1)
    expect(outcome(await person.post("/api/profile/2fa/enable", { code: "wrong" }))).toBe(
      "400 INVALID_TWO_FACTOR_CODE",
    );
  expect(outcome(await person.post("/api/profile/2fa/setup", { password }))).toBe(LIMIT);
  expect(outcome(await person.post("/api/profile/2fa/disable", { password, code: "1" }))).toBe(LIMIT);
  expect(outcome(await person.post("/api/profile/2fa/disable", { code: "1" }))).toBe("400 VALIDATION_FAILED");
  expect(outcome(await person.post("/api/profile/2fa/enable", {}))).toBe("400 VALIDATION_FAILED");
});

test("wrong codes at sign-in and wrong attempts in the profile are counted separately, and per user", async () => {
  const [guessed, careless, bystander] = [
    await withTwoFactor(t),
    await withTwoFactor(t),
    await withTwoFactor(t),
  ];
  for (let index = 0; index < 10; index += 1) {
    await guess(guessed, index);
    await wrongInProfile(careless, index);
  }
  expect(await guess(guessed)).toBe(LIMIT);
  expect(outcome(await wrongInProfile(careless, 0))).toBe(LIMIT);
  // An attacker who guesses codes knows the password, so the owner must still be able to change it.
  expect((await wrongInProfile(guessed, 0)).status).toBe(400);
  expect(outcome(await signIn(careless, { code: careless.code() }))).toBe("200");
  expect(outcome(await signIn(bystander, { code: bystander.code() }))).toBe("200");
  expect((await wrongInProfile(bystander, 0)).status).toBe(400);
});

// The test fails without lockAttempts (src/core/accounts/reauthenticate.ts).
test("of concurrent wrong passwords and codes in the profile at most ten are checked, and a later correct one is refused", async () => {
  const factor = await withTwoFactor(t);
  const { person } = factor;
  const responses = await race(20, (index) => wrongInProfile(factor, index));
  // Fewer than ten may be checked: a password check is also 429 if two others of the account wait.
  const checked = responses.filter(({ status }) => status === 400);
  expect(checked.length).toBeWithin(1, 11);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(20 - checked.length);
  const { password } = person.account;
  const right = { password, code: factor.recoveryCodes[0] };
  expect(outcome(await person.post("/api/profile/delete", right))).toBe(LIMIT);
  expect(await liveRows(t, person.email)).toHaveLength(1);
});

// The test fails without `prepare` (src/core/accounts/reauthenticate.ts). Without it, the correct one of many
// concurrent guesses would take longer than the wrong ones.
test("a password change computes the hash of the new password even if the current one is wrong, against timing attacks", async () => {
  const { hasher } = t.running.app;
  const { hash } = hasher;
  const person = await t.person();
  let hashed = 0;
  hasher.hash = (password) => {
    hashed += 1;
    return hash(password);
  };
  for (const currentPassword of ["wrong", person.account.password]) {
    hashed = 0;
    const response = await person.post("/api/profile/password", {
      currentPassword,
      newPassword: "a new blue yonder",
    });
    expect([response.status, hashed]).toEqual([currentPassword === "wrong" ? 400 : 204, 1]);
  }
  hasher.hash = hash;
});

test("the sign-in route for second-factor codes is limited per IP address, before any other check", async () => {
  const anonymous = t.anonymous(narrow.url);
  for (let index = 0; index < 3; index += 1)
    expect(outcome(await verify(anonymous, { challengeToken: "dead", code: "123456" }))).toBe(
      "401 UNAUTHENTICATED",
    );
  expect(outcome(await verify(anonymous, { wrong: 1 }))).toBe(LIMIT);
});
