import { Caller } from "../../../support/caller.ts";
import type { Oidc } from "../../../support/oidc.ts";
import { passwordOf } from "./accounts.ts";
import { beginAuthorization } from "./apps.ts";
import { type CallerName, hasAccount, isApp, isMachine } from "./callers.ts";
import type { Target } from "./case.ts";
import { readClaimsOfKey } from "./claims.ts";
import { visitConnection } from "./connections.ts";
import type { Fixture } from "./fixture.ts";
import { beginEmailChange, respond } from "./passkeys.ts";
import type { RequestPlan } from "./requests.ts";

/** An identity provider at which every caller has an account. */
export type Provider = Pick<Oidc, "key" | "people" | "visit" | "issuer">;

type Prepare = (target: Target, fixture: Fixture, caller: CallerName) => Promise<void>;

const subjectOf = (fixture: Fixture, caller: CallerName) => fixture.userIds[caller] ?? "nobody";

async function linkProvider({ t, provider }: Target, fixture: Fixture, caller: CallerName): Promise<void> {
  if (!hasAccount(caller)) return;
  await t.sql(
    `INSERT INTO user_identities (user_id, provider, issuer, subject) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [fixture.userIds[caller], provider.key, provider.issuer, subjectOf(fixture, caller)],
  );
}

const proveByPasskey: Prepare = (_target, fixture, caller) =>
  respond(fixture, caller, "/api/profile/reauthenticate/options");

/** Signs in with the password, and has the passkey of the caller respond as the second factor. */
const respondAsSecondFactor: Prepare = async (_target, { callers, authenticators, ceremonies }, caller) => {
  const authenticator = authenticators.get(caller);
  const { url, email } = callers[caller];
  const visitor = new Caller(url);
  const begun = await visitor.post("/api/auth/login", { email, password: passwordOf(caller) });
  const { challengeToken } = begun.body;
  if (authenticator === undefined || challengeToken === undefined) return;
  const { status, body } = await visitor.post("/api/auth/2fa/passkey/options", { challengeToken });
  if (status === 200) ceremonies.set(caller, { challengeToken, response: authenticator.get(body.options) });
};

/** Steps that must come before an operation, which would otherwise always be rejected. */
const PREPARATIONS: Record<string, Prepare> = {
  async enableTwoFactor(target, fixture, caller) {
    const { callers, secrets } = fixture;
    if (callers[caller].accessToken === null) return;
    const response = await callers[caller].post("/api/profile/2fa/setup", { password: passwordOf(caller) });
    if (response.status === 200) secrets.set(caller, response.body.secret);
    await proveByPasskey(target, fixture, caller);
  },
  verifyTwoFactor: respondAsSecondFactor,
  /** Starts either a sign-in or the linking of an identity at the provider, which the operation then completes. */
  async finishProviderSignIn({ provider }, fixture, caller) {
    const browser = fixture.callers[caller];
    const isLink = browser.accessToken !== null && fixture.providerVisits.size % 2 === 0;
    const response = isLink
      ? await browser.post(`/api/profile/identities/${provider.key}`, { password: passwordOf(caller) })
      : await browser.get(`/api/auth/oidc/${provider.key}`);
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith("oidc_state="));
    const url = isLink ? response.body.url : response.headers.get("location");
    if (response.status >= 400 || cookie === undefined || typeof url !== "string") return;
    const subject = subjectOf(fixture, caller);
    provider.people.set(subject, {
      ...{
        email: `${subject}@provider.test`,
        email_verified: true,
        given_name: "Grace",
        family_name: "Hopper",
      },
    });
    const back = new URL(await provider.visit(url, subject)).searchParams;
    fixture.providerVisits.set(caller, {
      ...{ code: back.get("code") ?? "", state: back.get("state") ?? "", iss: back.get("iss") ?? "" },
      cookie: cookie.slice("oidc_state=".length, cookie.indexOf(";")),
    });
  },
  finishConnectionSignIn: visitConnection,
  unlinkIdentity: linkProvider,
  reauthenticateByProvider: linkProvider,
  signInWithPasskey: (_target, fixture, caller) => respond(fixture, caller, "/api/auth/passkey/options"),
  addPasskey: (_target, fixture, caller) => respond(fixture, caller, "/api/profile/passkeys/options"),
  reauthenticate: proveByPasskey,
  disableTwoFactor: proveByPasskey,
  exportProfile: proveByPasskey,
  /** Publishes the records of domains that are not verified yet. */
  async verifyDomain({ t, dns }, { organizations }) {
    const ids = [organizations.own.id, organizations.other.id];
    const domains = await t.sql<{ domain: string; value: string }>(
      "SELECT domain, value FROM organization_domains WHERE status = 'PENDING' AND organization_id = ANY ($1)",
      [ids],
    );
    for (const { domain, value } of domains) dns.publish(`_mos-verify.${domain}`, `mos-verify=${value}`);
  },
  approveAuthorization: (_target, fixture, caller) => beginAuthorization(fixture, caller),
  denyAuthorization: (_target, fixture, caller) => beginAuthorization(fixture, caller),
  confirmEmailChange: ({ t }, fixture, caller) =>
    beginEmailChange(t, fixture, caller, fixture.links.size % 2 === 0 ? "old" : "new"),
  cancelEmailChange: ({ t }, fixture, caller) => beginEmailChange(t, fixture, caller, "old"),
  undoEmailChange: ({ t }, fixture, caller) => beginEmailChange(t, fixture, caller, "undo"),
};

/** Runs the steps that an operation needs before its request. */
export async function prepare(plan: RequestPlan, fixture: Fixture, target: Target): Promise<void> {
  const { accessToken } = fixture.callers[plan.caller];
  if (isMachine(plan.caller) || isApp(plan.caller)) await readClaimsOfKey(target.t.url, accessToken ?? "");
  fixture.ceremonies.delete(plan.caller);
  fixture.links.delete(plan.caller);
  await PREPARATIONS[plan.operation]?.(target, fixture, plan.caller);
}
