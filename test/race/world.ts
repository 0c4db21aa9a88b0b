import { accessTokens } from "../../src/core/access/access-token.ts";
import { builtInRoles, permissionNames } from "../../src/core/access/catalog.ts";
import { createCipher, tokenHash } from "../../src/platform/crypto.ts";
import { environmentFor } from "../support/environment.ts";
import { cheapHash } from "../support/passwords.ts";
import { Rows } from "../support/rows.ts";

export const PASSWORD = "wide blue yonder";
const HASH = await cheapHash(PASSWORD);
const settings = environmentFor("", 0);
const tokens = accessTokens({
  secret: settings.JWT_SECRET ?? "",
  previousSecret: null,
  issuer: settings.APP_URL ?? "",
  lifetimeSeconds: 900,
});
const twoFactor = createCipher(settings.TWO_FACTOR_ENCRYPTION_KEY ?? "", "two-factor", null);

export const roleOf = (name: string): string => builtInRoles.find((role) => role.name === name)?.id ?? "";
const permissionsOf = (name: string) =>
  name === "ORG_ADMIN"
    ? permissionNames
    : (builtInRoles.find((role) => role.name === name)?.permissions ?? []);

/** Somebody with an access token and two sessions. */
export type Person = {
  id: string;
  email: string;
  token: string;
  cookie: string;
  otherCookie: string;
  sids: string[];
};

/** What the calls of a round refer to; everything is new in each round. */
export type World = {
  people: Record<
    "founder" | "second" | "member" | "invited" | "operator" | "operator2" | "factor" | "unverified",
    Person
  >;
  ids: Record<string, string>;
  /** Names of ids, for the comparison of what two rounds left behind. */
  names: Map<string, string>;
  customer: string;
  unique: string;
};

/** One organization in which every kind of record is at stake, and one beside it, to switch to. */
export function plantWorld(): { rows: Rows; world: World } {
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

  const org = put("org", "organizations", { name: "Acme", slug: `acme-${unique}` });
  const beside = put("beside", "organizations", { name: "Beside", slug: `beside-${unique}` });
  const customer = `cus_${unique}`;
  // Nine seats, nine units and nine todos; one of each is left.
  const plan = { plan_override: "pro" };
  put("subscription", "organization_subscriptions", { organization_id: org, ...plan, customer_id: customer });
  put("subscription2", "organization_subscriptions", { organization_id: beside, ...plan, customer_id: null });
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

  const person = (who: string, roles: string | null, more: Record<string, unknown> = {}): Person => {
    const email = `${who}-${unique}@example.com`;
    const id = put(who, "users", {
      ...{
        email,
        last_name: who,
        password_hash: HASH,
        is_platform_admin: false,
        two_factor_enabled_at: null,
      },
      ...more,
    });
    const isPlatformAdmin = more.is_platform_admin === true;
    const held = roles === null ? null : permissionsOf(roles);
    const sids = [name(`${who}'s session`, crypto.randomUUID()), name(`${who}'s other`, crypto.randomUUID())];
    const cookies = sids.map((sid) => {
      const cookie = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      const bound = { organization_id: held === null ? null : org, token_hash: tokenHash(cookie) };
      put(`${who}'s token of ${names.get(sid)}`, "refresh_tokens", {
        user_id: id,
        session_id: sid,
        ...bound,
      });
      return cookie;
    });
    const token = tokens.sign({
      ...{ sub: id, sid: sids[0] ?? "", isPlatformAdmin, mustEnableTwoFactor: undefined },
      organization: held === null ? null : { id: org, name: "Acme", slug: `acme-${unique}` },
      ...{ roles: roles === null ? [] : [roles], permissions: [...(held ?? [])], unitGrants: [] },
    });
    return { id, email, token, cookie: cookies[0] ?? "", otherCookie: cookies[1] ?? "", sids };
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
  const people: World["people"] = {
    founder: person("founder", "ORG_ADMIN"),
    second: person("second", "ORG_ADMIN"),
    member: person("member", "MEMBER"),
    invited: person("invited", null),
    operator: person("operator", null, operator),
    operator2: person("operator2", null, operator),
    factor: person("factor", "MEMBER", { two_factor_enabled_at: "2026-01-01T00:00:00Z" }),
    unverified: person("unverified", null, { email_verified_at: null }),
  };
  const { founder, second, member, invited, factor, unverified } = people;
  join(founder, org, "ORG_ADMIN");
  join(second, org, "ORG_ADMIN");
  join(member, org, "MEMBER", child);
  join(member, beside, "MEMBER");
  join(founder, beside, "ORG_ADMIN");
  join(factor, org, "MEMBER");

  const invitation = (text: string, email: string, by: Person, unitId: string | null) => {
    const sent = { ...at, email, token_hash: tokenHash(`${text}-${unique}`), invited_by_id: by.id };
    const id = put(text, "user_invitations", sent);
    put(`${text}'s role`, "user_invitation_assignments", {
      invitation_id: id,
      role_id: roleOf("MEMBER"),
      unit_id: unitId,
    });
  };
  invitation("invitation", invited.email, founder, child);
  invitation("invitation of a stranger", `stranger-${unique}@example.com`, second, null);
  for (const number of [1, 2])
    invitation(`invitation${number}`, `asked${number}-${unique}@example.com`, founder, null);

  put("todo", "todos", { ...at, user_id: member.id, title: "todo" });
  for (let count = 2; count <= 8; count += 1)
    put(`todo${count}`, "todos", { ...at, user_id: founder.id, title: `todo${count}` });
  const ticket = put("ticket", "tickets", {
    ...at,
    subject: "ticket",
    reporter_id: member.id,
    page_path: null,
  });
  put("message", "ticket_messages", {
    ticket_id: ticket,
    author_id: member.id,
    staff_scope: null,
    body: "message",
    internal: false,
  });
  put("notification", "notifications", { user_id: member.id });
  put("notification2", "notifications", { user_id: member.id });
  const link = (text: string, user: Person) => ({
    user_id: user.id,
    token_hash: tokenHash(`${text}-${unique}`),
  });
  put("verification", "email_verification_tokens", link("verification", unverified));
  put("reset", "password_reset_tokens", link("reset", member));
  for (const text of ["challenge", "challenge2"]) put(text, "two_factor_challenges", link(text, factor));
  const secret = twoFactor.encrypt({ userId: factor.id, secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" });
  rows.put("two_factor_secrets", { user_id: factor.id, sealed_secret: secret });
  for (const code of ["aaaa", "bbbb"])
    rows.put("two_factor_recovery_codes", { user_id: factor.id, code_hash: tokenHash(code) });
  return { rows, world: { people, ids, names, customer, unique } };
}
