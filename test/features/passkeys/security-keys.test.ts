import { expect, test } from "bun:test";
import {
  PASSKEYS,
  passkeyProof,
  register,
  SoftAuthenticator,
  signIn,
  withPasskey,
} from "../../support/authenticator.ts";
import { Caller, claimsOf } from "../../support/caller.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { challenge, verify, withTwoFactor } from "../../support/two-factor.ts";

const t = await sharedService();
const INVALID = "400 INVALID_PASSKEY";
/** What a security key says that has neither PIN nor storage (U2F): the user is present, and not verified. */
const U2F = { userVerified: false, backupEligible: false };
const securityKey = () => new SoftAuthenticator({ synced: false, counter: 1 });

async function withSecurityKey(person: Caller) {
  const authenticator = securityKey();
  const { passkey } = expectStatus(await register(person, authenticator, { said: U2F }), 201).body;
  return { authenticator, passkey };
}

test("a security key without storage or PIN is added beside a password, and does not sign in alone", async () => {
  const person = await t.person();
  const { options } = expectStatus(await person.post(`${PASSKEYS}/options`), 200).body;
  expect(options.authenticatorSelection).toEqual({
    residentKey: "preferred",
    requireResidentKey: false,
    userVerification: "preferred",
  });
  const { authenticator, passkey } = await withSecurityKey(person);
  expect(passkey).toMatchObject({ signIn: false, status: "ACTIVE" });
  expect((await person.get(PASSKEYS)).body).toMatchObject([{ signIn: false }]);
  for (const said of [U2F, { backupEligible: false }])
    expect(outcome(await signIn(new Caller(t.url), authenticator, said))).toBe("401 INVALID_PASSKEY");
  const { passkey: usual } = await withPasskey(person);
  expect(usual.signIn).toBe(true);
});

test("it is the second factor: turned on, used at sign-in and at re-authentication with the password, turned off", async () => {
  const person = await t.person();
  const { authenticator } = await withSecurityKey(person);
  const { password } = person.account;
  const enable = await person.post("/api/profile/2fa/enable", await passkeyProof(person, authenticator, U2F));
  expect(expectStatus(enable, 200).body.recoveryCodes).toHaveLength(10);

  const { browser, challengeToken } = await challenge(person);
  const { options } = (await browser.post("/api/auth/2fa/passkey/options", { challengeToken })).body;
  const response = authenticator.get(options, U2F);
  expectStatus(await verify(browser, { challengeToken, passkey: { response } }), 200);

  const prove = async (body: object) => person.post("/api/profile/reauthenticate", body);
  const proof = () => passkeyProof(person, authenticator, U2F);
  expect(outcome(await prove(await proof()))).toBe(INVALID);
  expect(outcome(await prove({ ...(await proof()), password: "not this one" }))).toBe(
    "400 INVALID_CREDENTIALS",
  );
  expect(outcome(await prove({ ...(await proof()), password }))).toBe("204");
  const [recorded] = await t.sql(
    "SELECT factors, amr FROM session_proofs WHERE user_id = $1 AND kind = 'password' ORDER BY proved_at DESC",
    [idOf(person)],
  );
  expect(recorded).toEqual({ factors: 2, amr: ["pwd", "hwk", "mfa"] });
  expect(outcome(await person.post("/api/profile/2fa/disable", { ...(await proof()), password }))).toBe(
    "204",
  );
});

test("its removal by a platform administrator ends the sessions that it proved, also if an app proved them later", async () => {
  const { person, code } = await withTwoFactor(t);
  const { authenticator } = await withSecurityKey(person);
  const { browser, challengeToken } = await challenge(person);
  const { options } = (await browser.post("/api/auth/2fa/passkey/options", { challengeToken })).body;
  const response = authenticator.get(options, U2F);
  expectStatus(await verify(browser, { challengeToken, passkey: { response } }), 200);
  const { password } = person.account;
  expectStatus(await browser.post("/api/profile/reauthenticate", { password, code: code() }), 204);
  expectStatus(await browser.refresh(), 200);
  expect(claimsOf(browser.accessToken ?? "").amr).toEqual(["pwd", "hwk", "mfa", "otp"]);
  const root = await t.platformAdmin();
  expectStatus(await root.delete(`/api/users/${idOf(person)}/passkeys`), 204);
  expect(outcome(await browser.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expect(outcome(await person.refresh())).toBe("200");
});

test("an account that has it proves itself by password and code, and cannot lose its password to it", async () => {
  const person = await t.person();
  const { authenticator } = await withSecurityKey(person);
  expectStatus(
    await person.post("/api/profile/2fa/enable", await passkeyProof(person, authenticator, U2F)),
    200,
  );
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '1 hour' WHERE user_id = $1", [
    idOf(person),
  ]);
  expectStatus(await person.refresh(), 200);
  expect((await person.post(`${PASSKEYS}/options`)).body.details.methods).toEqual(["password", "code"]);
});

test("without a password only a passkey that signs in alone is added", async () => {
  const person = await t.person();
  await withPasskey(person);
  const begun = expectStatus(await person.post(`${PASSKEYS}/options`), 200).body;
  await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);
  const { options, challengeToken } = expectStatus(await person.post(`${PASSKEYS}/options`), 200).body;
  expect(options.authenticatorSelection).toMatchObject({
    residentKey: "required",
    requireResidentKey: true,
    userVerification: "required",
  });
  const response = securityKey().create(options, U2F);
  expect(outcome(await person.post(PASSKEYS, { challengeToken, response }))).toBe(INVALID);
  // The password counts when the passkey is added, not when its options were asked for.
  const early = securityKey().create(begun.options, U2F);
  const earlier = { challengeToken: begun.challengeToken, response: early };
  expect(outcome(await person.post(PASSKEYS, earlier))).toBe(INVALID);
});

test("a passkey that the browser says is not stored does not sign in alone, although the user was verified", async () => {
  const person = await t.person();
  const { options, challengeToken } = expectStatus(await person.post(`${PASSKEYS}/options`), 200).body;
  expect(options.extensions).toEqual({ credProps: true });
  const response = {
    ...securityKey().create(options),
    clientExtensionResults: { credProps: { rk: false } },
  };
  const added = expectStatus(await person.post(PASSKEYS, { challengeToken, response }), 201).body;
  expect(added.passkey.signIn).toBe(false);
});

test("it is no way to sign in: the last other one stays", async () => {
  const person = await t.person();
  const { passkey } = await withPasskey(person);
  await withSecurityKey(person);
  await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);
  expect(outcome(await person.delete(`${PASSKEYS}/${passkey.id}`))).toBe("409 CONFLICT");
});
