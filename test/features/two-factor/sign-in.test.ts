import { expect, test } from "bun:test";
import { claimsOf } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { liveRows, resetToken, sameBrowser } from "../../support/sessions.ts";
import { challenge, untilStepLasts, verify, withTwoFactor, wrongCode } from "../../support/two-factor.ts";

const t = await startService({ MAX_ACTIVE_SESSIONS_PER_USER: "3" });
const other = await t.beside();
const FACTOR = "/api/profile/2fa";

/** Returns a user's sign-in events since the second factor was enabled. */
const signIns = async (userId: string) =>
  t.sql<{ action: string; actor_id: string | null; metadata: Record<string, unknown> }>(
    `SELECT action, actor_id, metadata FROM audit_events
     WHERE target_id = $1 AND (action LIKE 'LOGIN%' OR action LIKE 'TWO_FACTOR%')
       AND id > (SELECT id FROM audit_events WHERE target_id = $1 AND action = 'TWO_FACTOR_ENABLED')
     ORDER BY id`,
    [userId],
  );

test("a correct password returns a challenge and no session; a code then starts the session", async () => {
  const { person, code } = await withTwoFactor(t);
  const before = await liveRows(t, person.email);
  const browser = t.anonymous();
  const login = expectStatus(await browser.post("/api/auth/login", person.account), 200);
  expect(login.body).toEqual({
    twoFactorRequired: true,
    challengeToken: expect.stringMatching(/^[\w-]{43}$/),
    methods: ["code", "recoveryCode"],
  });
  expect([login.cookie, login.headers.getSetCookie()]).toEqual([null, []]);
  expect(await liveRows(t, person.email)).toEqual(before);
  expect(await signIns(idOf(person))).toEqual([]);

  const { challengeToken } = login.body;
  const verified = expectStatus(await verify(browser, { challengeToken, code: code() }), 200);
  expect(Object.keys(verified.body)).toEqual(["accessToken"]);
  const [cookie] = verified.headers.getSetCookie();
  expect(cookie).toMatch(
    /^refresh_token=[\w-]{43}; Path=\/api\/auth; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  );
  expect(claimsOf(verified.body.accessToken).sub).toBe(idOf(person));
  expectStatus(await browser.get("/api/profile"), 200);
  expectStatus(await browser.refresh(), 200);
  expect(await signIns(idOf(person))).toEqual([
    { action: "LOGIN_SUCCEEDED", actor_id: idOf(person), metadata: { amr: ["pwd", "otp", "mfa"] } },
  ]);
});

test("a sign-in with a wrong password or to an unverified account returns no challenge", async () => {
  const { person } = await withTwoFactor(t);
  expect(outcome(await t.anonymous().post("/api/auth/login", { ...person.account, password: "wrong" }))).toBe(
    "401 INVALID_CREDENTIALS",
  );
  await t.sql("UPDATE users SET email_verified_at = NULL WHERE email = $1", [person.email]);
  expect(outcome(await t.anonymous().post("/api/auth/login", person.account))).toBe("403 EMAIL_NOT_VERIFIED");
  expect(await t.sql("SELECT FROM two_factor_challenges WHERE user_id = $1", [idOf(person)])).toEqual([]);
});

test("a session started with a code starts in the last organization, replaces the browser's session and counts against the session limit", async () => {
  const org = await createOrganization(t);
  const { code } = await withTwoFactor(t, org.admin);
  const { browser, challengeToken } = await challenge(org.admin);
  const stranger = await t.person();
  browser.cookie = stranger.cookie;
  const { accessToken } = expectStatus(await verify(browser, { challengeToken, code: code() }), 200).body;
  expect(claimsOf(accessToken).organization.id).toBe(org.id);
  expect(await liveRows(t, stranger.email)).toEqual([]);

  const admin = await withTwoFactor(t, await t.platformAdmin());
  const signIn = await challenge(admin.person);
  const response = await verify(signIn.browser, {
    challengeToken: signIn.challengeToken,
    code: admin.code(),
  });
  expect(claimsOf(response.body.accessToken)).toMatchObject({ organization: null, isPlatformAdmin: true });

  const { person, recoveryCodes } = await withTwoFactor(t);
  for (const recoveryCode of recoveryCodes.slice(0, 4)) {
    const next = await challenge(person);
    expectStatus(await verify(next.browser, { challengeToken: next.challengeToken, recoveryCode }), 200);
  }
  expect(await liveRows(t, person.email)).toHaveLength(3);
});

test("a code of the app may be one time step (30 s) early or late, but not two", async () => {
  const { person, code, rewind } = await withTwoFactor(t);
  await untilStepLasts();
  for (const [drift, expected] of [
    [-2, "401 INVALID_TWO_FACTOR_CODE"],
    [-1, "200"],
    [0, "200"],
    [1, "200"],
    [2, "401 INVALID_TWO_FACTOR_CODE"],
  ] as const) {
    await rewind();
    const { browser, challengeToken } = await challenge(person);
    expect([drift, outcome(await verify(browser, { challengeToken, code: code(drift) }))]).toEqual([
      drift,
      expected,
    ]);
  }
});

test("a code of the app works once over all routes and instances, and invalidates codes of earlier time steps", async () => {
  const { person, code } = await withTwoFactor(t);
  const signIn = async (one: string, url = t.url) => {
    const { browser, challengeToken } = await challenge(person, url);
    return outcome(await verify(browser, { challengeToken, code: one }));
  };
  const regenerate = async (one: string) =>
    outcome(await person.post(`${FACTOR}/recovery-codes`, { code: one }));
  await untilStepLasts(12);
  expect(await signIn(code())).toBe("200");
  expect(await signIn(code())).toBe("401 INVALID_TWO_FACTOR_CODE");
  expect(await signIn(code(), other.url)).toBe("401 INVALID_TWO_FACTOR_CODE");
  expect(await signIn(code(-1), other.url)).toBe("401 INVALID_TWO_FACTOR_CODE");
  expect(await regenerate(code())).toBe("400 INVALID_TWO_FACTOR_CODE");
  expect(await regenerate(code(1))).toBe("200");
  expect(await signIn(code(1), other.url)).toBe("401 INVALID_TWO_FACTOR_CODE");
});

test("the code that enabled the factor cannot be used to sign in", async () => {
  await untilStepLasts();
  const { person, code } = await withTwoFactor(t, await t.person(), { rewound: false });
  for (const drift of [0, -1]) {
    const { browser, challengeToken } = await challenge(person);
    expect(outcome(await verify(browser, { challengeToken, code: code(drift) }))).toBe(
      "401 INVALID_TWO_FACTOR_CODE",
    );
  }
  const { browser, challengeToken } = await challenge(person);
  expect(outcome(await verify(browser, { challengeToken, code: code(1) }))).toBe("200");
});

test("a challenge starts one session, and stays valid after wrong codes", async () => {
  const factor = await withTwoFactor(t);
  const { person, code } = factor;
  const { browser, challengeToken } = await challenge(person);
  expect(outcome(await verify(browser, { challengeToken, code: wrongCode(factor) }))).toBe(
    "401 INVALID_TWO_FACTOR_CODE",
  );
  expect(browser.cookie).toBeNull();
  expectStatus(await verify(browser, { challengeToken, code: code() }), 200);
  expect(outcome(await verify(t.anonymous(), { challengeToken, code: code(1) }))).toBe("401 UNAUTHENTICATED");
  expect(
    (await signIns(idOf(person))).map(({ action, actor_id, metadata }) => [action, actor_id, metadata]),
  ).toEqual([
    ["LOGIN_FAILED", null, { email: person.email, reason: "wrong_two_factor_code" }],
    ["LOGIN_SUCCEEDED", idOf(person), { amr: ["pwd", "otp", "mfa"] }],
  ]);
});

test("a challenge is valid for five minutes, and no other token is accepted as one", async () => {
  const { person, code } = await withTwoFactor(t);
  const { browser, challengeToken } = await challenge(person);
  await t.age("two_factor_challenges", { user_id: idOf(person) }, { minutes: 4, seconds: 50 });
  const late = await challenge(person);
  await t.age("two_factor_challenges", { user_id: idOf(person) }, { seconds: 15 });
  expect(outcome(await verify(browser, { challengeToken, code: code() }))).toBe("401 UNAUTHENTICATED");
  for (const token of ["dead", person.accessToken, person.cookie, await resetToken(t, person.email)])
    expect(outcome(await verify(browser, { challengeToken: token, code: code() }))).toBe(
      "401 UNAUTHENTICATED",
    );
  expectStatus(await verify(late.browser, { challengeToken: late.challengeToken, code: code() }), 200);
});

test("a challenge is not accepted as an access token or any other token", async () => {
  const { person } = await withTwoFactor(t);
  const { browser, challengeToken } = await challenge(person);
  browser.accessToken = challengeToken;
  browser.cookie = challengeToken;
  expect(outcome(await browser.get("/api/profile"))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await browser.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  const reset = { token: challengeToken, newPassword: "a new blue yonder" };
  expect(outcome(await browser.post("/api/auth/reset-password", reset))).toBe("400 INVALID_OR_EXPIRED_TOKEN");
});

test("changing or resetting the password and deleting the account invalidate open challenges", async () => {
  const newPassword = "a new blue yonder";
  const ends = {
    change: async ({ person }: Awaited<ReturnType<typeof withTwoFactor>>) =>
      person.post("/api/profile/password", { currentPassword: person.account.password, newPassword }),
    reset: async ({ person }: Awaited<ReturnType<typeof withTwoFactor>>) =>
      t
        .anonymous()
        .post("/api/auth/reset-password", { token: await resetToken(t, person.email), newPassword }),
    deletion: async ({ person, recoveryCodes }: Awaited<ReturnType<typeof withTwoFactor>>) =>
      person.post("/api/profile/delete", { password: person.account.password, code: recoveryCodes[0] }),
    "deletion by an administrator": async ({ person }: Awaited<ReturnType<typeof withTwoFactor>>) =>
      (await t.platformAdmin()).delete(`/api/users/${idOf(person)}`),
  };
  for (const [end, go] of Object.entries(ends)) {
    const factor = await withTwoFactor(t);
    const { browser, challengeToken } = await challenge(factor.person);
    expectStatus(await go(factor), 204);
    expect([end, outcome(await verify(browser, { challengeToken, code: factor.code() }))]).toEqual([
      end,
      "401 UNAUTHENTICATED",
    ]);
  }
});

test("a recovery code signs in once, with any case and separators, and the user is notified how many are left", async () => {
  const { person, recoveryCodes } = await withTwoFactor(t);
  const signIn = async (recoveryCode: string | undefined) => {
    const { browser, challengeToken } = await challenge(person);
    return outcome(await verify(browser, { challengeToken, recoveryCode }));
  };
  expect(await signIn(recoveryCodes[0])).toBe("200");
  expect(await signIn(recoveryCodes[0])).toBe("401 INVALID_TWO_FACTOR_CODE");
  expect(await signIn(recoveryCodes[1]?.toUpperCase().replaceAll("-", ""))).toBe("200");
  expect((await person.get(FACTOR)).body.recoveryCodesLeft).toBe(8);
  expect((await signIns(idOf(person))).map(({ action, metadata }) => [action, metadata])).toEqual([
    ["TWO_FACTOR_RECOVERY_CODE_USED", { via: "self" }],
    ["LOGIN_SUCCEEDED", { amr: ["pwd", "mfa"] }],
    ["LOGIN_FAILED", { email: person.email, reason: "wrong_two_factor_code" }],
    ["TWO_FACTOR_RECOVERY_CODE_USED", { via: "self" }],
    ["LOGIN_SUCCEEDED", { amr: ["pwd", "mfa"] }],
  ]);
  const told = await t.sql("SELECT data FROM notifications WHERE user_id = $1 AND type = $2 ORDER BY id", [
    idOf(person),
    "TWO_FACTOR_RECOVERY_CODE_USED",
  ]);
  expect(told).toEqual([{ data: { remaining: 9 } }, { data: { remaining: 8 } }]);
  // Both instances send mails, so their order is undefined.
  const mails = (await t.mailTo(person.email)).filter(({ text }) => text.includes("Unused codes left"));
  expect(mails.map(({ text }) => /left: \d/.exec(text)?.[0]).sort()).toEqual(["left: 8", "left: 9"]);
  expect(mails[0]?.subject).toBe("A recovery code was used to sign in");
  expect(mails[0]?.links).toEqual(["http://app.test/profile"]);
});

test("a recovery code works only for its own account, and not in the field for a code of the app", async () => {
  const [one, other] = [await withTwoFactor(t), await withTwoFactor(t)];
  const { browser, challengeToken } = await challenge(one.person);
  for (const body of [
    { recoveryCode: other.recoveryCodes[0] },
    { recoveryCode: one.code() },
    { code: one.recoveryCodes[0] },
    { code: other.code() },
  ])
    expect(outcome(await verify(browser, { challengeToken, ...body }))).toBe("401 INVALID_TWO_FACTOR_CODE");
  expectStatus(await verify(browser, { challengeToken, recoveryCode: one.recoveryCodes[0] }), 200);
});

test("the sign-in with a challenge accepts exactly one kind of code, and returns validation errors by field", async () => {
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, ["challengeToken is required", "code is required"]],
    [{ challengeToken: "x" }, ["code is required"]],
    [
      { challengeToken: "x", code: "1", recoveryCode: "2" },
      ["recoveryCode should not be sent together with code"],
    ],
    [{ challengeToken: "", code: "" }, ["challengeToken should not be empty", "code should not be empty"]],
    [{ challengeToken: 1, code: 123_456 }, ["challengeToken must be a string", "code must be a string"]],
    [{ challengeToken: "x", recoveryCode: null }, ["recoveryCode must be a string"]],
    [
      { challengeToken: "x".repeat(513), code: "1", extra: 1 },
      ["challengeToken must be shorter than or equal to 512 characters", "property extra should not exist"],
    ],
    [{ challengeToken: "x", code: "1".repeat(65) }, ["code must be shorter than or equal to 64 characters"]],
    [
      { challengeToken: "x", code: "\u0000" },
      ["code must not contain NUL characters or unpaired surrogates"],
    ],
  ];
  for (const [body, expected] of cases)
    expect(messages(await verify(t.anonymous(), body))).toEqual(expect.arrayContaining(expected));
  const text = await t.anonymous().post("/api/auth/2fa/verify", undefined, {
    raw: "{}",
    headers: { "content-type": "text/plain" },
  });
  expect(outcome(text)).toBe("415 UNSUPPORTED_MEDIA_TYPE");
});

test("a wrong code at sign-in keeps the browser's previous session", async () => {
  const { person } = await withTwoFactor(t);
  const { challengeToken } = await challenge(person);
  const stranger = sameBrowser(await t.person());
  expect(outcome(await verify(stranger, { challengeToken, code: "000000" }))).toBe(
    "401 INVALID_TWO_FACTOR_CODE",
  );
  expectStatus(await stranger.refresh(), 200);
});
