import { expect, test } from "bun:test";
import { PASSKEYS, register, SoftAuthenticator, signIn, withPasskey } from "../../support/authenticator.ts";
import { Caller } from "../../support/caller.ts";
import { browser, sharedOidc } from "../../support/oidc.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser, resetToken, twoDaysOlder } from "../../support/sessions.ts";
import { challenge, verify, withTwoFactor, wrongCode } from "../../support/two-factor.ts";

/* What the thief of one secret can and cannot do: the table of SECURITY.md, "What each theft allows". */

const { t, oidc } = await sharedOidc();
const EMAIL = "/api/profile/email";
const CONFIRM = "/api/auth/confirm-email-change";
const DEAD = "400 INVALID_OR_EXPIRED_TOKEN";
const STALE = "403 REAUTHENTICATION_REQUIRED";
const visitor = () => new Caller(t.url);
const subjects = async (email: string) => (await t.mailTo(email)).map(({ subject }) => subject);

const OF_ACCOUNTS = ["profile", "passkeys", "two-factor", "identities", "sessions"];
const ofAccounts = definitions.filter(
  ({ tags: [tag = ""], access }) => OF_ACCOUNTS.includes(tag) && access !== "public",
);

/** What a stolen session gets from each route, hours after the owner proved themselves: nothing that lasts. */
const BY_SESSION: Record<string, [body: unknown, expected: string]> = {
  getProfile: [undefined, "200"],
  getTwoFactor: [undefined, "200"],
  listPasskeys: [undefined, "200"],
  listOwnSessions: [undefined, "200"],
  listIdentities: [undefined, "200"],
  getEmail: [undefined, "200"],
  updateProfile: [{ firstName: "Eve" }, "200"],
  setUpTwoFactor: [{ password: "a guess of it" }, "400 INVALID_CREDENTIALS"],
  enableTwoFactor: [{ code: "123456" }, "409 CONFLICT"],
  disableTwoFactor: [{ password: "a guess of it", code: "123456" }, "409 TWO_FACTOR_NOT_ENABLED"],
  regenerateRecoveryCodes: [{ code: "123456" }, "409 TWO_FACTOR_NOT_ENABLED"],
  changePassword: [
    { currentPassword: "a guess of it", newPassword: "eve's longer password" },
    "400 INVALID_CREDENTIALS",
  ],
  deleteProfile: [{ password: "a guess of it" }, "400 INVALID_CREDENTIALS"],
  exportProfile: [{ password: "a guess of it" }, "400 INVALID_CREDENTIALS"],
  reauthenticate: [{ password: "a guess of it" }, "400 INVALID_CREDENTIALS"],
  beginReauthenticationPasskey: [undefined, "200"],
  reauthenticateByProvider: [undefined, "200"],
  linkIdentity: [{ password: "a guess of it" }, "400 INVALID_CREDENTIALS"],
  beginPasskeyRegistration: [undefined, STALE],
  addPasskey: [{}, STALE],
  renamePasskey: [{ name: "Mine" }, STALE],
  removePasskey: [undefined, STALE],
  requestEmailChange: [{ email: "eve@example.org" }, STALE],
  cancelOwnEmailChange: [undefined, "204"],
  switchOrganization: [{ organizationId: crypto.randomUUID() }, "403 NOT_A_MEMBER"],
  unlinkIdentity: [undefined, "204"],
  endOwnSession: [undefined, "404 NOT_FOUND"],
  endOtherOwnSessions: [undefined, "204"],
  logout: [undefined, "204"],
};

const attack = (thief: Caller, { method, path }: { method: string; path: string }, body: unknown) =>
  thief.send(
    method.toUpperCase(),
    path.replace("{provider}", "acme").replaceAll(/\{\w+\}/g, crypto.randomUUID()),
    body,
  );

test("a stolen session reads and annoys, and gets neither a way in nor the email", async () => {
  const { person, authenticator } = await withPasskey(await t.person());
  const subject = oidc.person();
  await browser(t, oidc, person).link(subject);
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '1 hour' WHERE user_id = $1", [
    idOf(person),
  ]);
  expectStatus(await person.refresh(), 200);
  const thief = person.at(t.url);
  expect(ofAccounts.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(BY_SESSION).sort());
  for (const [name, [body, expected]] of Object.entries(BY_SESSION)) {
    const route = ofAccounts.find(({ operationId }) => operationId === name);
    if (route !== undefined)
      expect([name, outcome(await attack(thief, route, body))]).toEqual([name, expected]);
  }
  const owner = await inAnotherBrowser(person);
  expect((await owner.get("/api/profile")).body).toMatchObject({
    email: person.email,
    passkeyCount: 1,
    twoFactorEnabled: false,
  });
  expectStatus(await signIn(visitor(), authenticator), 200);
});

test("a provider that is asked again proves nothing for somebody else's identity there", async () => {
  const person = await t.person();
  await browser(t, oidc, person).link(oidc.person());
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '1 hour' WHERE user_id = $1", [
    idOf(person),
  ]);
  expectStatus(await person.refresh(), 200);
  const thief = browser(t, oidc, person.at(t.url));
  const begun = expectStatus(await thief.caller.post("/api/profile/reauthenticate/acme"), 200);
  thief.state = /oidc_state=([^;]*)/.exec(begun.headers.get("set-cookie") ?? "")?.[1] ?? null;
  expect(await thief.finish(await oidc.visit(begun.body.url, oidc.person()))).toEqual({
    error: "INVALID_STATE",
  });
  expect(outcome(await thief.caller.post(`${PASSKEYS}/options`))).toBe(STALE);
});

test("a stolen password gives no session while the second factor is on", async () => {
  const { person, code, rewind } = await withTwoFactor(t);
  const { authenticator } = await withPasskey(person);
  const { browser: thief, challengeToken } = await challenge(person);
  expect(outcome(await verify(thief, { challengeToken, code: wrongCode({ code }) }))).toBe(
    "401 INVALID_TWO_FACTOR_CODE",
  );
  const { options } = (await thief.post("/api/auth/2fa/passkey/options", { challengeToken })).body;
  const response = new SoftAuthenticator().get(options);
  expect(outcome(await verify(thief, { challengeToken, passkey: { response } }))).toBe("401 INVALID_PASSKEY");
  for (const route of ofAccounts)
    expect([
      route.operationId,
      (await attack(thief, route, route.method === "get" ? undefined : {})).status,
    ]).toEqual([route.operationId, 401]);
  await rewind();
  expectStatus(await verify(thief, { challengeToken, code: code() }), 200);
  expectStatus(await signIn(visitor(), authenticator), 200);
});

test("a stolen password without a second factor takes no email, and what it added is named and goes", async () => {
  const person = await t.person();
  const thief = await inAnotherBrowser(person);
  const added = new SoftAuthenticator();
  expectStatus(await register(thief, added), 201);
  await withTwoFactor(t, thief);
  const email = uniqueEmail();
  expectStatus(await thief.post(EMAIL, { email }), 202);
  const { token } = await t.linkTo(email, "/confirm-email-change");
  expect((await thief.post(CONFIRM, { token })).body).toEqual({ waitingFor: "old" });
  expect(await subjects(person.email)).toEqual(
    expect.arrayContaining([
      "You can now sign in with Passkey “Passkey 1”",
      "Two-factor authentication is on",
    ]),
  );
  // The owner has the mailbox.
  const cancel = await t.linkTo(person.email, "/cancel-email-change");
  expectStatus(await visitor().post("/api/auth/cancel-email-change", { token: cancel.token }), 204);
  expect(outcome(await thief.post(CONFIRM, { token }))).toBe(DEAD);
  expect(outcome(await thief.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  const newPassword = "only the owner knows";
  const reset = await resetToken(t, person.email);
  expectStatus(await visitor().post("/api/auth/reset-password", { token: reset, newPassword }), 204);
  expect(outcome(await visitor().post("/api/auth/login", person.account))).toBe("401 INVALID_CREDENTIALS");
  expect(outcome(await signIn(visitor(), added))).toBe("401 INVALID_PASSKEY");
  const owner = new Caller(t.url, { ...person.account, password: newPassword });
  expectStatus(await owner.login(), 200);
  expect((await owner.get("/api/profile")).body).toMatchObject({
    email: person.email,
    passkeyCount: 0,
    twoFactorEnabled: false,
  });
});

test("the old mailbox gives no session while the second factor is on, neither before nor after a change", async () => {
  const { person } = await withTwoFactor(t);
  const { authenticator } = await withPasskey(person);
  await twoDaysOlder(t, person);
  const newPassword = "set by the thief";
  const reset = await resetToken(t, person.email);
  expectStatus(await visitor().post("/api/auth/reset-password", { token: reset, newPassword }), 204);
  const asThief = { email: person.email, password: newPassword };
  expect((await visitor().post("/api/auth/login", asThief)).body.twoFactorRequired).toBe(true);

  // The owner leaves that mailbox, which confirms the change.
  const owner = visitor();
  expectStatus(await signIn(owner, authenticator), 200);
  const email = uniqueEmail();
  expectStatus(await owner.post(EMAIL, { email }), 202);
  const old = await t.linkTo(person.email, "/confirm-email-change");
  expectStatus(await visitor().post(CONFIRM, { token: old.token }), 200);
  const { token } = await t.linkTo(email, "/confirm-email-change");
  expect((await owner.post(CONFIRM, { token })).body).toEqual({ waitingFor: null });
  await t.sql("DELETE FROM password_reset_tokens WHERE user_id = $1", [idOf(owner)]);
  const before = (await subjects(person.email)).length;
  expectStatus(await visitor().post("/api/auth/forgot-password", { email: person.email }), 202);
  expect(await subjects(person.email)).toHaveLength(before);
  expect(outcome(await visitor().post("/api/auth/login", asThief))).toBe("401 INVALID_CREDENTIALS");

  // It can undo the change. What the account had before stays: its second factor and its passkey.
  const undo = await t.linkTo(person.email, "/undo-email-change");
  expectStatus(await visitor().post("/api/auth/undo-email-change", { token: undo.token }), 204);
  const own = await t.linkTo(person.email, "/reset-password");
  expectStatus(await visitor().post("/api/auth/reset-password", { token: own.token, newPassword }), 204);
  expect((await visitor().post("/api/auth/login", asThief)).body.twoFactorRequired).toBe(true);
  const again = visitor();
  expectStatus(await signIn(again, authenticator), 200);
  expect((await again.get("/api/profile")).body).toMatchObject({
    email: person.email,
    twoFactorEnabled: true,
  });
});

test("the new mailbox confirms nothing without a session, and loses the account to the undo of the old one", async () => {
  const person = await t.person();
  const email = uniqueEmail();
  expectStatus(await person.post(EMAIL, { email }), 202);
  const { token } = await t.linkTo(email, "/confirm-email-change");
  for (const path of ["verify-email", "cancel-email-change", "undo-email-change"])
    expect(outcome(await visitor().post(`/api/auth/${path}`, { token }))).toBe(DEAD);
  expect(
    outcome(await visitor().post("/api/auth/reset-password", { token, newPassword: "a longer yonder" })),
  ).toBe(DEAD);
  expect(outcome(await visitor().post(CONFIRM, { token }))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await (await t.person()).post(CONFIRM, { token }))).toBe("403 FORBIDDEN");
  expectStatus(await visitor().post("/api/auth/forgot-password", { email }), 202);
  expect(await subjects(email)).not.toContain("Choose a new password");

  const old = await t.linkTo(person.email, "/confirm-email-change");
  expectStatus(await visitor().post(CONFIRM, { token: old.token }), 200);
  expect((await person.post(CONFIRM, { token })).body).toEqual({ waitingFor: null });
  // Whoever has the new mailbox resets the password, and adds a passkey.
  const reset = await resetToken(t, email);
  const newPassword = "set by the thief";
  expectStatus(await visitor().post("/api/auth/reset-password", { token: reset, newPassword }), 204);
  const thief = new Caller(t.url, { email, password: newPassword });
  expectStatus(await thief.login(), 200);
  const added = new SoftAuthenticator();
  expectStatus(await register(thief, added), 201);
  const undo = await t.linkTo(person.email, "/undo-email-change");
  expectStatus(await visitor().post("/api/auth/undo-email-change", { token: undo.token }), 204);
  expect(outcome(await thief.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expect(outcome(await signIn(visitor(), added))).toBe("401 INVALID_PASSKEY");
  for (const account of [
    { email, password: newPassword },
    { email: person.email, password: newPassword },
  ])
    expect(outcome(await visitor().post("/api/auth/login", account))).toBe("401 INVALID_CREDENTIALS");
  const own = await t.linkTo(person.email, "/reset-password");
  expectStatus(
    await visitor().post("/api/auth/reset-password", { token: own.token, newPassword: "mine once again" }),
    204,
  );
  const owner = new Caller(t.url, { email: person.email, password: "mine once again" });
  expectStatus(await owner.login(), 200);
  expect((await owner.get("/api/profile")).body).toMatchObject({ email: person.email, passkeyCount: 0 });
});
