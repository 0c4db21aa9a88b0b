import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { browser, sharedOidc } from "../../support/oidc.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

const { t, oidc } = await sharedOidc();
const REAUTHENTICATE = "/api/profile/reauthenticate";

const proofOf = ({ accessToken }: Caller) => {
  const { auth_time, amr, acr } = claimsOf(accessToken ?? "");
  return { auth_time, amr, acr };
};
const countProofs = async (person: Caller) =>
  (await t.sql("SELECT 1 FROM session_proofs WHERE user_id = $1", [idOf(person)])).length;

test("an access token says when and how the user proved their identity (`auth_time`, `amr`), also after a refresh", async () => {
  const person = await t.person();
  const { auth_time, ...methods } = proofOf(person);
  expect(methods).toEqual({ amr: ["pwd"], acr: "1" });
  expect(Math.abs(auth_time - Date.now() / 1000)).toBeLessThan(60);
  expectStatus(await person.refresh(), 200);
  expect(proofOf(person)).toEqual({ auth_time, ...methods });

  const { person: careful, code } = await withTwoFactor(t);
  expect(proofOf(careful)).toMatchObject({ acr: "1" });
  expectStatus(await careful.post(REAUTHENTICATE, { password: careful.account.password, code: code() }), 204);
  expectStatus(await careful.refresh(), 200);
  expect(proofOf(careful)).toMatchObject({ amr: ["pwd", "otp", "mfa"], acr: "2" });
});

test("a third-party sign-in proves one factor (`acr` 1), with an empty `amr` because the service does not know its methods", async () => {
  const visitor = browser(t, oidc);
  await visitor.signIn(oidc.person());
  expect(proofOf(visitor.caller)).toMatchObject({ amr: [], acr: "1" });
});

test("a re-authentication is a new proof only of its own session, and writes an audit event", async () => {
  const person = await t.person();
  const elsewhere = await inAnotherBrowser(person);
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '1 hour' WHERE user_id = $1", [
    idOf(person),
  ]);
  expectStatus(await person.post(REAUTHENTICATE, { password: person.account.password }), 204);
  expectStatus(await person.refresh(), 200);
  expectStatus(await elsewhere.refresh(), 200);
  expect(proofOf(person).auth_time - proofOf(elsewhere).auth_time).toBeGreaterThan(3_500);
  const events = await t.sql(
    "SELECT metadata FROM audit_events WHERE action = 'REAUTHENTICATED' AND target_id = $1",
    [idOf(person)],
  );
  expect(events).toEqual([{ metadata: { amr: ["pwd"] } }]);
});

test("a re-authentication with a recovery code works once, and the user is mailed", async () => {
  const { person, recoveryCodes } = await withTwoFactor(t);
  const body = { password: person.account.password, recoveryCode: recoveryCodes[0] };
  expectStatus(await person.post(REAUTHENTICATE, body), 204);
  expect((await person.post(REAUTHENTICATE, body)).body.code).toBe("INVALID_TWO_FACTOR_CODE");
  const asCode = { password: person.account.password, code: recoveryCodes[1] };
  expect((await person.post(REAUTHENTICATE, asCode)).body.code).toBe("INVALID_TWO_FACTOR_CODE");
  expect((await t.mailTo(person.email)).map(({ subject }) => subject)).toContain(
    "A recovery code was used to confirm your identity",
  );
});

test("after a second factor is disabled, its earlier proofs no longer count", async () => {
  const { person, code } = await withTwoFactor(t);
  expectStatus(await person.post(REAUTHENTICATE, { password: person.account.password, code: code() }), 204);
  const root = await t.platformAdmin();
  expectStatus(await root.delete(`/api/users/${idOf(person)}/2fa`), 204);
  expectStatus(await person.refresh(), 200);
  expect(proofOf(person)).toMatchObject({ amr: ["pwd"], acr: "1" });
});

test("the proofs of a session are deleted when it ends", async () => {
  const person = await t.person();
  await inAnotherBrowser(person);
  expect(await countProofs(person)).toBe(2);
  expectStatus(await person.delete("/api/profile/sessions"), 204);
  expect(await countProofs(person)).toBe(1);
});

test("for a session started by an older version of the service, its start counts as the proof", async () => {
  const person = await t.person();
  await t.sql("DELETE FROM session_proofs WHERE user_id = $1", [idOf(person)]);
  expectStatus(await person.refresh(), 200);
  expect(proofOf(person)).toMatchObject({ amr: [], acr: "1" });
  expect(proofOf(person).auth_time).toBeGreaterThan(Date.now() / 1000 - 60);
});
