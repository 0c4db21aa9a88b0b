import { expect, test } from "bun:test";
import { claims } from "../../support/claims.ts";
import { createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { setConnection, setDomains, setStatus } from "../../support/sign-on.ts";
import { browserAt, connect, personOf, signedInBy, somebody } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

const provider = await SsoProvider.start();
const t = await sharedService();
const VERIFY = "/api/auth/2fa/verify";

/** A person with a second factor and an address of a connection. */
async function withFactor(settings: Parameters<typeof connect>[3] = {}) {
  const acme = await connect(t, await createOrganization(t), provider, settings);
  const factor = await withTwoFactor(t, await personOf(t, acme));
  return { acme, factor, told: somebody(acme, { email: factor.person.email }) };
}
/** Everything that a sign-in may write about a person. */
const written = async (userId: string, connectionId: string) => [
  await t.sql("SELECT user_id FROM sso_identities WHERE connection_id = $1", [connectionId]),
  await t.sql("SELECT id FROM memberships WHERE user_id = $1", [userId]),
  (await t.sql("SELECT last_sign_in_at FROM sso_connections WHERE id = $1", [connectionId]))[0]
    ?.last_sign_in_at,
];

test("with `own`, an account with a second factor gets a challenge, and nothing is linked before it is completed", async () => {
  const { acme, factor, told } = await withFactor();
  const browser = browserAt(t, acme);
  const { challenge, methods, token } = await browser.signIn({ ...told, groups: ["sellers"] });
  expect([methods, token]).toEqual(["code,recoveryCode", undefined]);
  expect(await written(idOf(factor.person), acme.id)).toEqual([[], [], null]);
  expect(await t.mailTo(factor.person.email)).not.toContainEqual(
    expect.objectContaining({ subject: expect.stringContaining("You can now sign in") }),
  );
  const [stored] = await t.sql<{ sso: string }>(
    "SELECT sso FROM two_factor_challenges WHERE connection_id = $1",
    [acme.id],
  );
  expect(stored?.sso).not.toContain(told.email);

  const wrong = await browser.caller.post(VERIFY, { challengeToken: challenge, code: "000000" });
  expect(outcome(wrong)).toBe("401 INVALID_TWO_FACTOR_CODE");
  expect(await written(idOf(factor.person), acme.id)).toEqual([[], [], null]);
  expectStatus(await browser.caller.post(VERIFY, { challengeToken: challenge, code: factor.code() }), 200);
  expect(claims(browser.caller)).toMatchObject({
    organization: { id: acme.organization.id },
    confined: true,
    acr: "2",
    amr: ["mfa"],
  });
  const again = await browser.caller.post(VERIFY, { challengeToken: challenge, code: factor.code(1) });
  expect(outcome(again)).toBe("401 UNAUTHENTICATED");
});

test("a recovery code completes a sign-in by a connection", async () => {
  const { acme, factor, told } = await withFactor();
  const browser = browserAt(t, acme);
  const { challenge } = await browser.signIn(told);
  const body = { challengeToken: challenge, recoveryCode: factor.recoveryCodes[0] };
  expectStatus(await browser.caller.post(VERIFY, body), 200);
  expect(claims(browser.caller)).toMatchObject({ acr: "2", confined: true });
});

test("with `trusted` there is no challenge; the proof counts two factors in the organization alone", async () => {
  const { acme, factor, told } = await withFactor({ secondFactor: "trusted" });
  const { caller } = await signedInBy(t, acme, told);
  expect(claims(caller)).toMatchObject({
    acr: "2",
    amr: ["mfa"],
    organization: { id: acme.organization.id },
  });
  const other = await createOrganization(t);
  await other.add(factor.person, { role: "MEMBER" });
  const joined = await signedInBy(t, acme, told, factor.person);
  expect(claims(joined.caller).acr).toBe("2");
  expectStatus(await joined.caller.post("/api/auth/organization", { organizationId: other.id }), 200);
  expect(claims(joined.caller)).toMatchObject({ acr: "1", amr: ["pwd"] });
});

test("the completion judges again: connection disabled or changed, domain gone, or removed meanwhile is 401, and nothing is written", async () => {
  const changes: Record<string, (of: Awaited<ReturnType<typeof withFactor>>) => Promise<unknown>> = {
    disabled: ({ acme }) => setConnection(t, acme.id, "status = 'DISABLED'"),
    changed: ({ acme }) => setConnection(t, acme.id, "tested_version = tested_version + 1"),
    deleted: ({ acme }) => setConnection(t, acme.id, "is_deleted = true"),
    lapsed: ({ acme }) => setDomains(t, acme.organization, "LAPSED"),
    suspended: ({ acme }) => setStatus(t, acme.organization, "SUSPENDED"),
    "not provisioned": ({ acme }) => setConnection(t, acme.id, "provisioning = 'none'"),
  };
  for (const [name, change] of Object.entries(changes)) {
    const of = await withFactor();
    const browser = browserAt(t, of.acme);
    const { challenge } = await browser.signIn(of.told);
    await change(of);
    const refused = await browser.caller.post(VERIFY, { challengeToken: challenge, code: of.factor.code() });
    expect([name, outcome(refused)]).toEqual([name, "401 UNAUTHENTICATED"]);
    expect([name, await written(idOf(of.factor.person), of.acme.id)]).toEqual([name, [[], [], null]]);
  }
});

test("a refusal after the second factor is recorded for the organization", async () => {
  const { acme, factor, told } = await withFactor();
  const browser = browserAt(t, acme);
  const { challenge } = await browser.signIn(told);
  await setConnection(t, acme.id, "provisioning = 'none'");
  await browser.caller.post(VERIFY, { challengeToken: challenge, code: factor.code() });
  const [failed] = await eventsIn(t, acme.organization, "SSO_SIGN_IN_FAILED");
  expect(failed?.metadata).toEqual({ connectionId: acme.id, email: told.email, reason: "not_a_member" });
});

test("where every account must have a second factor, one that has none may act by a trusted connection alone", async () => {
  const strict = await startService({ REQUIRE_TWO_FACTOR: "all" }, { databaseUrl: t.databaseUrl });
  for (const secondFactor of ["own", "trusted"] as const) {
    const acme = await connect(t, await createOrganization(t), provider, { secondFactor });
    const { caller } = await signedInBy(strict, acme, somebody(acme));
    const isTrusted = secondFactor === "trusted";
    expect(claims(caller)).toMatchObject({
      acr: isTrusted ? "2" : "1",
      organization: { id: acme.organization.id },
    });
    expect(claims(caller).mustEnableTwoFactor).toBe(isTrusted ? undefined : true);
    const use = await caller.get("/api/todos");
    expect([secondFactor, outcome(use)]).toEqual([
      secondFactor,
      isTrusted ? "200" : "403 TWO_FACTOR_REQUIRED",
    ]);
    const setUp = await caller.post("/api/profile/2fa/setup", { password: "wide blue yonder" });
    expect(outcome(setUp)).toBe("403 REAUTHENTICATION_REQUIRED");
  }
});

test("a challenge of a connection ends where single sign-on is off, with and without the key", async () => {
  const { acme, factor, told } = await withFactor();
  const { challenge } = await browserAt(t, acme).signIn(told);
  for (const key of ["", t.environment.CONNECTION_ENCRYPTION_KEY]) {
    const off = await startService(
      { SSO: "off", CONNECTION_ENCRYPTION_KEY: key },
      { databaseUrl: t.databaseUrl },
    );
    const shown = await off.anonymous().post(VERIFY, { challengeToken: challenge, code: factor.code() });
    expect(outcome(shown)).toBe("401 UNAUTHENTICATED");
  }
  expect(await written(idOf(factor.person), acme.id)).toEqual([[], [], null]);
});
