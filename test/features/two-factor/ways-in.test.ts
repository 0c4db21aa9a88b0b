import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { liveRows, resetToken } from "../../support/sessions.ts";
import { challenge, verify, withTwoFactor } from "../../support/two-factor.ts";

/*
 * All ways to sign in with only the first factor of a user who has enabled the second: none of them starts a session.
 */
const t = await sharedService();

/** Creates a user with a second factor and no session, so that a later session shows that the code was bypassed. */
async function signedOut() {
  const factor = await withTwoFactor(t);
  const { person } = factor;
  expectStatus(await person.post("/api/auth/logout"), 204);
  expect(await liveRows(t, person.email)).toEqual([]);
  return factor;
}

test("the password alone does not bypass the second factor", async () => {
  const { person } = await signedOut();
  for (let round = 0; round < 3; round += 1) await challenge(person);
  expect(await liveRows(t, person.email)).toEqual([]);
});

test("a password reset does not bypass the second factor, and does not disable it", async () => {
  const { person, code } = await signedOut();
  const newPassword = "a new blue yonder";
  const anonymous = t.anonymous();
  const reset = await anonymous.post("/api/auth/reset-password", {
    token: await resetToken(t, person.email),
    newPassword,
  });
  expect([outcome(reset), reset.cookie]).toEqual(["204", null]);
  const login = await anonymous.post("/api/auth/login", { email: person.email, password: newPassword });
  expect(login.body.twoFactorRequired).toBe(true);
  expect([login.cookie, await liveRows(t, person.email)]).toEqual([null, []]);
  const { challengeToken } = login.body;
  expectStatus(await verify(anonymous, { challengeToken, code: code() }), 200);
});

test("verifying an email does not bypass the second factor", async () => {
  const { person } = await withTwoFactor(t);
  await t.sql("UPDATE users SET email_verified_at = NULL WHERE email = $1", [person.email]);
  await t.sql("DELETE FROM refresh_tokens USING users WHERE user_id = users.id AND email = $1", [
    person.email,
  ]);
  await t.age("email_verification_tokens", {}, { minutes: 2 });
  expectStatus(await t.anonymous().post("/api/auth/resend-verification", { email: person.email }), 202);
  const { token } = await t.linkTo(person.email, "/verify-email");
  const verified = await t.anonymous().post("/api/auth/verify-email", { token });
  expect([outcome(verified), verified.cookie]).toEqual(["204", null]);
  await challenge(person);
  expect(await liveRows(t, person.email)).toEqual([]);
});

test("a refresh does not bypass the second factor: only a session that was started with a code continues", async () => {
  const { person, code } = await signedOut();
  const { browser, challengeToken } = await challenge(person);
  expect(outcome(await browser.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expectStatus(await verify(browser, { challengeToken, code: code() }), 200);
  expectStatus(await browser.refresh(), 200);
});

test("an invitation does not bypass the second factor: accepting it needs a session and starts none", async () => {
  const { person } = await withTwoFactor(t);
  const org = await createOrganization(t);
  const role = (await org.admin.get("/api/members/role-options")).body[0].id;
  const invite = { email: person.email, assignments: [{ roleId: role }] };
  expectStatus(await org.admin.post("/api/members/invitations", invite), 201);
  const { token } = await t.linkTo(person.email, "/accept-invitation");
  const { browser } = await challenge(person);
  expect(outcome(await browser.post("/api/auth/accept-invitation", { token }))).toBe("401 UNAUTHENTICATED");
  const asNew = { token, password: "a new blue yonder", firstName: "Ada", lastName: "Again" };
  expect(outcome(await browser.post("/api/auth/accept-invitation", asNew))).toBe("409 EMAIL_TAKEN");

  const accepted = expectStatus(await person.post("/api/auth/accept-invitation", { token }), 204);
  expect(accepted.cookie).toBeNull();
  await challenge(person);
  expect(await liveRows(t, person.email)).toHaveLength(1);
});

test("a switch of the organization does not bypass the second factor", async () => {
  const org = await createOrganization(t);
  const { person, code } = await withTwoFactor(t, org.admin);
  const { browser, challengeToken } = await challenge(person);
  const choose = () => browser.post("/api/auth/organization", { organizationId: org.id });
  expect(outcome(await choose())).toBe("401 UNAUTHENTICATED");
  // Switching organizations needs a session even with a valid access token, and the session starts only with the second factor.
  browser.accessToken = person.accessToken;
  expect(outcome(await choose())).toBe("401 INVALID_REFRESH_TOKEN");
  expectStatus(await verify(browser, { challengeToken, code: code() }), 200);
  expectStatus(await choose(), 200);
});

test("a challenge from before the second factor was disabled and enabled again is invalid", async () => {
  const { person, code } = await withTwoFactor(t);
  const { browser, challengeToken } = await challenge(person);
  const { password } = person.account;
  expectStatus(await person.post("/api/profile/2fa/disable", { password, code: code() }), 204);
  const again = await withTwoFactor(t, person);
  const response = await verify(browser, { challengeToken, code: again.code() });
  expect(outcome(response)).toBe("401 UNAUTHENTICATED");
});

const admin = await t.platformAdmin();
const reset = (id: string, caller: Caller = admin) => caller.delete(`/api/users/${id}/2fa`);

test("a platform administrator can reset a user's second factor, which disables it and notifies the user", async () => {
  const { person, code, recoveryCodes } = await withTwoFactor(t);
  const { browser, challengeToken } = await challenge(person);
  const sessions = await liveRows(t, person.email);
  expectStatus(await reset(idOf(person)), 204);

  expect((await person.get("/api/profile/2fa")).body).toEqual({
    enabled: false,
    enabledAt: null,
    recoveryCodesLeft: 0,
    methods: [],
  });
  expect((await admin.get(`/api/users/${idOf(person)}`)).body.twoFactorEnabled).toBe(false);
  for (const body of [{ code: code(1) }, { recoveryCode: recoveryCodes[0] }])
    expect(outcome(await verify(browser, { challengeToken, ...body }))).toBe("401 UNAUTHENTICATED");
  expect(await liveRows(t, person.email)).toEqual(sessions);

  const [event] = await t.sql(
    "SELECT actor_id, target_type, organization_id, metadata FROM audit_events WHERE action = 'TWO_FACTOR_DISABLED' AND target_id = $1",
    [idOf(person)],
  );
  expect(event).toEqual({
    actor_id: idOf(admin),
    target_type: "user",
    organization_id: null,
    metadata: { via: "admin" },
  });
  const told = "SELECT data FROM notifications WHERE user_id = $1 AND type = 'TWO_FACTOR_DISABLED'";
  expect(await t.sql(told, [idOf(person)])).toEqual([{ data: { via: "admin" } }]);
  const mail = (await t.mailTo(person.email)).at(-1);
  expect(mail?.subject).toBe("Two-factor authentication is off");
  expect(mail?.text).toStartWith("An administrator has just turned off");

  expect((await person.login()).body.accessToken).toBeString();
  const anew = await withTwoFactor(t, person);
  expect(anew.secret).toHaveLength(32);
});

test("a platform administrator cannot reset their own second factor, a disabled or unconfirmed one, or one of an unknown account", async () => {
  const own = await withTwoFactor(t, await t.platformAdmin());
  expect(outcome(await reset(idOf(own.person), own.person))).toBe("409 CONFLICT");
  const off = await t.person();
  expect(outcome(await reset(idOf(off)))).toBe("409 TWO_FACTOR_NOT_ENABLED");
  const { password } = off.account;
  expectStatus(await off.post("/api/profile/2fa/setup", { password }), 200);
  expect(outcome(await reset(idOf(off)))).toBe("409 TWO_FACTOR_NOT_ENABLED");
  expect(outcome(await reset(crypto.randomUUID()))).toBe("404 NOT_FOUND");
  expect(outcome(await reset("nobody"))).toBe("400 VALIDATION_FAILED");
  const { person } = await withTwoFactor(t);
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE id = $1", [idOf(person)]);
  expect(outcome(await reset(idOf(person)))).toBe("404 NOT_FOUND");
});
