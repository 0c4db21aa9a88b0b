import { expect, test } from "bun:test";
import { userIdOf } from "../../support/notifications.ts";
import { type Browser, browser, sharedOidc } from "../../support/oidc.ts";
import { expectStatus } from "../../support/service.ts";
import { liveRows } from "../../support/sessions.ts";
import { verify, withTwoFactor, wrongCode } from "../../support/two-factor.ts";

const { t, oidc } = await sharedOidc();

/** Creates a user with a password, a second factor and a linked identity. */
async function linked() {
  const factor = await withTwoFactor(t);
  const subject = oidc.person();
  expect(await browser(t, oidc, factor.person).link(subject)).toEqual({ linked: "acme" });
  return { ...factor, subject };
}

async function challenged(subject: string, visitor: Browser = browser(t, oidc)) {
  const outcome = await visitor.signIn(subject);
  expect(Object.keys(outcome)).toEqual(["challenge", "methods"]);
  return { visitor, challengeToken: outcome.challenge };
}

test("a third-party sign-in also needs the second factor: it returns a challenge and no session cookie", async () => {
  const { person, subject, code } = await linked();
  const before = await liveRows(t, person.email);
  const { visitor, challengeToken } = await challenged(subject);
  expect([visitor.caller.cookie, visitor.caller.accessToken]).toEqual([null, null]);
  expect(await liveRows(t, person.email)).toEqual(before);

  const wrong = await verify(visitor.caller, { challengeToken, code: wrongCode({ code }) });
  expect([wrong.status, wrong.body.code]).toEqual([401, "INVALID_TWO_FACTOR_CODE"]);
  expectStatus(await verify(visitor.caller, { challengeToken, code: code() }), 200);
  expect(userIdOf(visitor.caller)).toBe(userIdOf(person));
  expect((await visitor.caller.refresh()).status).toBe(200);
  expect((await verify(visitor.caller, { challengeToken, code: code(1) })).status).toBe(401);
});

test("a third-party sign-in with a second factor is audited only after its code is accepted", async () => {
  const { person, subject, recoveryCodes } = await linked();
  const signIns = async () =>
    (
      await t.sql("SELECT id FROM audit_events WHERE target_id = $1 AND action = 'LOGIN_SUCCEEDED'", [
        userIdOf(person),
      ])
    ).length;
  const before = await signIns();
  const { visitor, challengeToken } = await challenged(subject);
  expect(await signIns()).toBe(before);
  const [recoveryCode] = recoveryCodes;
  expectStatus(await verify(visitor.caller, { challengeToken, recoveryCode }), 200);
  expect(await signIns()).toBe(before + 1);
});

test("the browser's previous session ends when the code is accepted, not when the challenge is returned", async () => {
  const { subject, code } = await linked();
  const before = await t.person();
  const { visitor, challengeToken } = await challenged(subject, browser(t, oidc, before.at(t.url)));
  expect(await liveRows(t, before.email)).toHaveLength(1);
  expectStatus(await verify(visitor.caller, { challengeToken, code: code() }), 200);
  expect(await liveRows(t, before.email)).toEqual([]);
});

test("an account without a password also needs its second factor for third-party sign-in", async () => {
  const subject = oidc.person();
  const owner = browser(t, oidc);
  await owner.signIn(subject);
  Object.assign(owner.caller.account, { email: oidc.emailOf(subject), password: "none to be asked for" });
  const { code } = await withTwoFactor(t, owner.caller);
  const { visitor, challengeToken } = await challenged(subject);
  expectStatus(await verify(visitor.caller, { challengeToken, code: code() }), 200);
});
