import { accessTokens } from "../../../src/core/access/access-token.ts";
import { newApiKey } from "../../../src/core/access/api-key-form.ts";
import { builtInRoles, permissionNames } from "../../../src/core/access/catalog.ts";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { environmentFor } from "../../support/environment.ts";
import { cheapHash } from "../../support/passwords.ts";
import { Rows } from "../../support/rows.ts";
import { codeOfStep, currentStep, fromBase32 } from "../../support/two-factor.ts";
import { type Assertions, addEmailChanges, addPasskey } from "./identity-resources.ts";
import { addIdentity, addOldSessions, addResources, SECRET } from "./resources.ts";

export const PASSWORD = "wide blue yonder";
const PASSWORD_HASH = await cheapHash(PASSWORD);
const settings = environmentFor("", 0);
const tokens = await accessTokens({
  secret: settings.JWT_SECRET ?? "",
  previousSecret: null,
  issuer: settings.APP_URL ?? "",
  lifetimeSeconds: 900,
});

export const roleOf = (name: string): string => builtInRoles.find((role) => role.name === name)?.id ?? "";
const permissionsOf = (name: string) =>
  name === "ORG_ADMIN"
    ? permissionNames()
    : (builtInRoles.find((role) => role.name === name)?.permissions ?? []);

/** An account with an access token and two sessions. */
export type Person = {
  id: string;
  email: string;
  token: string;
  /** An access token for the other organization. */
  otherOrganizationToken: string;
  cookie: string;
  otherCookie: string;
  sids: string[];
};

/** The data to which the calls of a round refer. All of it is new in each round. */
export type Fixture = {
  people: Record<
    "founder" | "second" | "member" | "invited" | "operator" | "operator2" | "factor" | "unverified",
    Person
  >;
  ids: Record<string, string>;
  /** A name for each id, so that rows of two rounds can be compared. */
  names: Map<string, string>;
  customer: string;
  unique: string;
  /** A valid code of the authenticator app. All users have the same secret. */
  code: string;
  /** The API key, in clear text, of the service account that administers the organization. */
  key: string;
  /** Responses of the member's passkey: one signs in, the other proves the identity. */
  assertions: Assertions;
  /** An address to which only one more invitation may be sent today. */
  frequentlyInvited: string;
};

/** Creates the rows of one organization with every kind of record, and of another one to switch to. */
export async function createFixture(issuer: string): Promise<{ rows: Rows; fixture: Fixture }> {
  const rows = new Rows();
  const names = new Map<string, string>();
  const ids: Record<string, string> = {};
  const unique = crypto.randomUUID().slice(0, 8);
  const name = (text: string, id: string) => {
    names.set(id, text);
    ids[text] = id;
    return id;
  };
  const put = (text: string, ...row: Parameters<Rows["put"]>) => name(text, rows.put(...row));

  const organization = (text: string, founder: string | null) =>
    put(text, "organizations", {
      ...{ name: text, slug: `${text.replaceAll(" ", "-")}-${unique}`, founded_by_id: founder },
      ...{ origin: founder === null ? "PLATFORM" : "SELF_SERVICE", created_at: new Date() },
    });
  const org = organization("org", null);
  const otherOrganization = organization("other organization", null);
  const customer = `cus_${unique}`;
  // The plan allows nine seats, nine units and nine todos. One of each is still free.
  const plan = { plan_override: "pro" };
  put("subscription", "organization_subscriptions", { organization_id: org, ...plan, customer_id: customer });
  put("subscription2", "organization_subscriptions", {
    organization_id: otherOrganization,
    ...plan,
    customer_id: null,
  });
  const at = { organization_id: org };
  const unit = (text: string, parent: string | null) =>
    put(text, "units", { ...at, name: text, parent_id: parent });
  const root = unit("root", null);
  const child = unit("child", root);
  unit("other", root);
  unit("empty", null);
  for (const number of [1, 2, 3, 4]) unit(`unit${number}`, null);
  const role = (text: string) =>
    put(text, "roles", { ...at, name: text, description: "", permissions: ["Units.Read"] });
  role("custom");
  role("unused");

  const person = async (
    who: string,
    roles: string | null,
    more: Record<string, unknown> = {},
  ): Promise<Person> => {
    const email = `${who}-${unique}@example.com`;
    const id = put(who, "users", {
      ...{
        email,
        last_name: who,
        password_hash: PASSWORD_HASH,
        is_platform_admin: false,
        two_factor_enabled_at: null,
      },
      ...more,
    });
    const isPlatformAdmin = more.is_platform_admin === true;
    const permissions = roles === null ? null : permissionsOf(roles);
    const sids = [name(`${who}'s session`, crypto.randomUUID()), name(`${who}'s other`, crypto.randomUUID())];
    const cookies = sids.map((sid) => {
      const cookie = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      const session = { organization_id: permissions === null ? null : org, token_hash: tokenHash(cookie) };
      put(`${who}'s token of ${names.get(sid)}`, "refresh_tokens", {
        user_id: id,
        session_id: sid,
        ...session,
      });
      return cookie;
    });
    const tokenIn = (organizationId: string) =>
      tokens.sign({
        ...{ sub: id, sid: sids[0] ?? "", isPlatformAdmin, mustEnableTwoFactor: undefined },
        auth_time: Math.floor(Date.now() / 1000),
        organization:
          permissions === null ? null : { id: organizationId, name: "Acme", slug: `acme-${unique}` },
        ...{ roles: roles === null ? [] : [roles], permissions: [...(permissions ?? [])], unitGrants: [] },
      });
    const [cookie = "", otherCookie = ""] = cookies;
    const [token, otherOrganizationToken] = await Promise.all([tokenIn(org), tokenIn(otherOrganization)]);
    return { id, email, token, otherOrganizationToken, cookie, otherCookie, sids };
  };
  const join = (who: Person, organizationId: string, roleName: string, unitId: string | null = null) => {
    const membership = {
      membership_id: name(
        `${names.get(who.id)} in ${names.get(organizationId)}`,
        rows.put("memberships", {
          organization_id: organizationId,
          user_id: who.id,
          joined_at: organizationId === org ? "2026-01-01" : "2026-01-02",
        }),
      ),
    };
    const place = { ...membership, organization_id: organizationId };
    put(`${names.get(who.id)}'s role in ${names.get(organizationId)}`, "membership_assignments", {
      ...place,
      role_id: roleOf(roleName),
      unit_id: unitId,
    });
    if (unitId !== null)
      put(`${names.get(who.id)}'s unit`, "membership_units", { ...place, user_id: who.id, unit_id: unitId });
  };
  const operator = { is_platform_admin: true };
  const people: Fixture["people"] = {
    founder: await person("founder", "ORG_ADMIN"),
    second: await person("second", "ORG_ADMIN"),
    member: await person("member", "MEMBER"),
    invited: await person("invited", null),
    operator: await person("operator", null, operator),
    operator2: await person("operator2", null, operator),
    factor: await person("factor", "MEMBER", { two_factor_enabled_at: "2026-01-01T00:00:00Z" }),
    unverified: await person("unverified", null, { email_verified_at: null }),
  };
  const { founder, second, member, factor } = people;
  addIdentity(rows, name, issuer, member, unique);
  addOldSessions(rows, name, member);
  join(founder, org, "ORG_ADMIN");
  join(second, org, "ORG_ADMIN");
  join(member, org, "MEMBER", child);
  join(member, otherOrganization, "MEMBER");
  join(founder, otherOrganization, "ORG_ADMIN");
  join(factor, org, "MEMBER");

  const code = codeOfStep(fromBase32(SECRET), currentStep());
  const frequentlyInvited = `often-${unique}@example.com`;
  const fixture: Fixture = {
    people,
    ids,
    names,
    customer,
    unique,
    code,
    frequentlyInvited,
    key: newApiKey("mosk"),
    assertions: {} as Assertions,
  };
  addResources(rows, put, organization, fixture);
  addEmailChanges(rows, put, fixture);
  fixture.assertions = await addPasskey(put, fixture);
  return { rows, fixture };
}
