import { SETUP_PREFIX } from "../../../../src/core/access/access.ts";
import { answerCipher } from "../../../../src/features/sign-on/secrets.ts";
import { newToken, tokenHash } from "../../../../src/platform/crypto.ts";
import type { Rows } from "../../../support/rows.ts";
import type { Service } from "../../../support/service.ts";
import { type CallerName, ORGANIZATIONS, type OrganizationName } from "./callers.ts";
import { type OrganizationFixture, roleOf } from "./organization.ts";

const PAST = "2026-01-01T00:00:00Z";
/** A group that people of every organization have, so that a list of groups by name alone shows those of others. */
export const SHARED_GROUP = "Staff";

/** What an organization has for signing on. */
export type SignOn = {
  /** A verified domain, by which people may ask to join. */
  domain: string;
  enabled: string;
  draft: string;
  setupToken: string;
};

type Place = { name: OrganizationName; unique: string; issuer: string };

/**
 * Adds to an organization: three domains, two connections, a person of one with groups, mappings, requests to join and a setup link.
 * One domain is that of the organization `own`, and pending in all others. Texts that requests never contain have the marker.
 */
export function addSignOn(rows: Rows, organization: OrganizationFixture, place: Place): SignOn {
  const { id, marker, restrictedMarkers, founder, unit, ids, emails, roles, toDelete } = organization;
  const { name, unique, issuer } = place;
  const at = { organization_id: id };
  const by = { created_by_id: founder };
  type Table = Parameters<Rows["put"]>[0];
  const put = (kind: string, table: Table, row: Record<string, unknown>) => {
    const one = rows.put(table, row);
    ids[kind] = [...(ids[kind] ?? []), one];
    return one;
  };
  const connect = (text: string, status: string) =>
    put("connection", "sso_connections", { ...at, ...by, name: text, status, issuer });
  const enabled = connect(`Enabled ${marker}`, "ENABLED");
  const draft = connect(`Draft ${marker}`, "DRAFT");
  toDelete.push({ table: "sso_connections", id: connect(restrictedMarkers.deleted, "DISABLED") });

  const domain = `${name}-${unique}.com`;
  const addDomain = (text: string, status: string, join: string) => {
    const verified = { status, verified_at: status === "PENDING" ? null : PAST, join_mode: join };
    const connection = { connection_id: join === "off" ? null : enabled };
    return put("domain", "organization_domains", {
      ...{ ...at, ...by, domain: text, value: newToken() },
      ...{ ...verified, ...connection },
    });
  };
  const granted = { ...at, role_id: roles.Empty, unit_id: unit };
  const joined = addDomain(domain, "VERIFIED", "request");
  rows.put("organization_domain_assignments", { ...granted, domain_id: joined });
  rows.put("sso_connection_assignments", { ...granted, connection_id: enabled });
  addDomain(`shared-${unique}.com`, ...sharedState(name));
  addDomain(`pending-${domain}`, "PENDING", "off");

  const person = (who: string) => {
    const email = `${who}-${name}-${unique}@${domain}`;
    emails.push(email);
    const account = { last_name: marker, password_hash: null, is_platform_admin: false };
    return { email, userId: put("user", "users", { email, ...account }) };
  };
  const linked = person("linked");
  organization.member(linked.userId, roleOf("MEMBER"), unit, enabled);
  link(rows, organization, enabled, linked.userId, linked.email);
  for (const who of ["asking", "waiting", "hoping"]) {
    const { email, userId } = person(who);
    put("joinRequest", "join_requests", { ...at, user_id: userId, domain, email });
  }
  for (const [group, unitId] of [[`Group ${marker}`, unit] as const, [SHARED_GROUP, null] as const]) {
    const given = { role_id: roleOf("MEMBER"), unit_id: unitId };
    put("mapping", "sso_mappings", { ...at, ...by, connection_id: enabled, group_name: group, ...given });
  }
  const setupToken = SETUP_PREFIX + newToken();
  const hash = tokenHash(setupToken.slice(SETUP_PREFIX.length));
  const what = { email: `setter-${domain}@example.com`, what: ["domains", "connection"] };
  for (const token_hash of [hash, tokenHash(newToken())])
    put("setupLink", "sign_on_setup_links", { ...at, ...by, ...what, token_hash });
  rows.put("break_glass_members", { ...at, user_id: founder });
  // The policy of `other` binds whoever has an address of its domains, or an identity there.
  if (name !== "own") rows.put("sign_on_policies", { ...at, scope: name === "other" ? "domains" : "off" });
  return { domain, enabled, draft, setupToken };
}

const sharedState = (name: OrganizationName): [status: string, join: string] =>
  name === "own" ? ["VERIFIED", "automatic"] : ["PENDING", "off"];

/** Links an account to a connection, with a group of its organization and one that all organizations have. */
export function link(
  rows: Rows,
  { marker }: OrganizationFixture,
  connectionId: string,
  userId: string,
  email: string,
): void {
  const groups = [`Group ${marker}`, SHARED_GROUP];
  const subject = `${userId} ${marker}`;
  rows.put("sso_identities", { connection_id: connectionId, user_id: userId, subject, email, groups });
}

/** Adds passed tests of both connections, which count for whoever enables them. */
export function addTests(
  rows: Rows,
  t: Service,
  { marker, ids }: OrganizationFixture,
  { enabled, draft }: SignOn,
  userId: string,
): void {
  const result = answerCipher(t.running.app).encrypt({
    ...{ outcome: "passed", subject: marker, email: null, emailVerified: null, firstName: marker },
    ...{ lastName: marker, groups: [marker], wouldBe: "enter", assignments: [], problems: [] },
  });
  const passed = { result, passed_at: new Date(), user_id: userId, setup_link_id: null };
  ids.test = [enabled, draft].map((id) => rows.put("sso_tests", { ...passed, connection_id: id }));
}

/** The callers that are linked to the enabled connection of an organization, with that organization. */
export const LINKED: [OrganizationName, CallerName][] = [
  ...(["member", "unitAdmin", "manager", "inBoth", "confined"] as const).map(
    (name): [OrganizationName, CallerName] => ["own", name],
  ),
  ...(["stranger", "confined"] as const).map((name): [OrganizationName, CallerName] => ["other", name]),
];

export const forEachOrganization = <T>(work: (name: OrganizationName) => T) =>
  Object.fromEntries(ORGANIZATIONS.map((name) => [name, work(name)])) as Record<OrganizationName, T>;
