import { builtInRoles } from "../../../../src/core/access/catalog.ts";
import { tokenHash } from "../../../../src/platform/crypto.ts";
import type { Rows } from "../../../support/rows.ts";
import type { OrganizationName } from "./callers.ts";

/** Returns the id of a built-in role. */
export const roleOf = (name: string): string => builtInRoles.find((role) => role.name === name)?.id ?? "";

/**
 * Matches the markers of all fixtures. Requests contain no markers, so a response contains only markers of the
 * records in it.
 */
export const MARKER = /zq[a-z]{5}[0-9a-f]{12}q/g;
const markerOf = (name: string) =>
  `zq${name.padEnd(5, "x").slice(0, 5)}${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}q`;

const READABLE = "Organization Units Roles Members Invitations Audit Billing Helpdesk Todos ServiceAccounts";
const permissions = (text: string) => text.split(" ");
/** The custom roles of each organization. */
const CUSTOM_ROLES = {
  Empty: [],
  Auditor: permissions("Organization.Read Audit.Read Members.Read"),
  Manager: permissions(
    `Organization.Read Organization.Update Units.Read Roles.Read Roles.Create Roles.Update Roles.Delete Members.Read
     Members.UpdateRoles Members.UpdateUnits Members.Delete Invitations.Create Invitations.Read Invitations.Resend
     Invitations.Delete`.replaceAll(/\s+/g, " "),
  ),
  Support: permissions("Helpdesk.Read Helpdesk.ReadOne Helpdesk.Reply Helpdesk.UpdateStatus"),
  Reader: [
    ...`${READABLE} Events Webhooks`.split(" ").map((entity) => `${entity}.Read`),
    ...permissions("Helpdesk.ReadOne Todos.ReadAny Todos.ReadOne"),
  ],
};

/** An organization of a fixture. */
export type OrganizationFixture = {
  id: string;
  marker: string;
  /** The markers that only staff of the organization, only staff of the platform, and nobody may read. */
  restrictedMarkers: { notes: string; platformNotes: string; deleted: string };
  /** Records that are deleted after they were inserted. */
  toDelete: { table: string; id: string }[];
  slug: string;
  customer: string;
  emails: string[];
  roles: Record<keyof typeof CUSTOM_ROLES, string>;
  founder: string;
  /** A unit in the middle of the tree. */
  unit: string;
  ids: Record<string, string[]>;
  /** Adds a membership with one role, which a group of a connection may have given. */
  member(userId: string, roleId: string, unitId: string | null, connectionId?: string): void;
  invite(email: string, token: string, unitId: string | null): void;
};

/** Adds the rows of an organization with records of every kind. Every text contains a marker of the organization. */
export function addOrganization(
  rows: Rows,
  name: OrganizationName,
  endpoint: { url: string; secret: string },
): OrganizationFixture {
  const marker = markerOf(name);
  const deleted = markerOf("gonex");
  const restrictedMarkers = { notes: markerOf("notes"), platformNotes: markerOf("platf"), deleted };
  // Emails, slugs and customers contain no marker, because they are sent in requests.
  const word = crypto.randomUUID();
  const slug = `slug-${word}`;
  const customer = `cus_${word}`;
  const id = rows.put("organizations", { name: `Acme ${marker}`, slug });
  const at = { organization_id: id };
  const ids: OrganizationFixture["ids"] = { organization: [id] };
  type Table = Parameters<Rows["put"]>[0];
  /** Adds a row of the organization whose id requests may name. */
  const put = (kind: string, table: Table, row: Record<string, unknown>) => {
    const one = rows.put(table, table === "users" || table === "notifications" ? row : { ...at, ...row });
    ids[kind] = [...(ids[kind] ?? []), one];
    return one;
  };
  const toDelete: OrganizationFixture["toDelete"] = [];
  const putDeleted = (kind: string, table: Table, row: Record<string, unknown>) =>
    toDelete.push({ table, id: put(kind, table, row) });
  rows.put("organization_subscriptions", { ...at, customer_id: customer });

  const unit = (text: string, parent: string | null) =>
    put("unit", "units", { parent_id: parent, name: `${text} ${marker}` });
  const root = unit("Root", null);
  const below = unit("Below", root);
  const beside = unit("Beside", root);
  unit("Empty", root);
  putDeleted("unit", "units", { parent_id: root, name: deleted });
  putDeleted("role", "roles", { name: deleted, description: deleted, permissions: [] });
  const roles = Object.fromEntries(
    Object.entries(CUSTOM_ROLES).map(([text, permissions]) => [
      text,
      put("role", "roles", { name: `${text} ${marker}`, description: marker, permissions }),
    ]),
  ) as OrganizationFixture["roles"];

  const member: OrganizationFixture["member"] = (userId, roleId, unitId, connectionId) => {
    const membership = { membership_id: rows.put("memberships", { ...at, user_id: userId }), ...at };
    const from = connectionId === undefined ? {} : { source: "sso", connection_id: connectionId };
    rows.put("membership_assignments", { ...membership, role_id: roleId, unit_id: unitId, ...from });
    if (unitId !== null) rows.put("membership_units", { ...membership, user_id: userId, unit_id: unitId });
  };
  const emails = ["founder", "below", "beside"].map((who) => `${who}-${word}@example.com`);
  const account = { last_name: marker, password_hash: null, is_platform_admin: false };
  const people = emails.map((email) => put("user", "users", { email, ...account }));
  const [founder = "", memberBelow = "", memberBeside = ""] = people;
  member(founder, roleOf("ORG_ADMIN"), null);
  member(memberBelow, roleOf("MEMBER"), below);
  member(memberBeside, roleOf("MEMBER"), beside);

  // The key ids of one service account cannot be guessed from those of the other, so paths often contain a matching
  // pair.
  for (const [role, unitId] of [["ORG_ADMIN", null] as const, ["MEMBER", below] as const]) {
    const bot = { name: `Bot ${role} ${marker}`, created_by_id: founder };
    const owner = { service_account_id: put("serviceAccount", "service_accounts", bot) };
    rows.put("service_account_assignments", { ...at, ...owner, role_id: roleOf(role), unit_id: unitId });
    const key = { name: marker, created_by_id: founder, token_hash: tokenHash(crypto.randomUUID()) };
    put("apiKey", "api_keys", { ...owner, ...key });
  }

  const hook = { ...endpoint, description: marker, created_by_id: founder };
  const webhook = put("webhookEndpoint", "webhook_endpoints", hook);
  const changes = [
    ["unit.created", below, [`${root}/${below}`], { id: below, name: marker, parentId: root }],
    ["organization.updated", id, [], { id, name: marker }],
  ] as const;
  for (const [index, [type, objectId, reachPaths, object]] of changes.entries()) {
    const sequence = index + 1;
    const written = { type, object_id: objectId, data: { object }, reach_paths: reachPaths };
    const eventId = put("event", "events", { ...written, sequence });
    const sent = { endpoint_id: webhook, event_id: eventId, event_type: type, sequence };
    const delivery = put("webhookDelivery", "webhook_deliveries", sent);
    rows.put("webhook_attempts", { delivery_id: delivery, status: 200, response_excerpt: marker });
  }
  rows.put("event_sequences", { ...at, last_sequence: changes.length });

  for (const owner of people)
    put("todo", "todos", { user_id: owner, title: `Todo ${marker}`, completed: owner === memberBelow });
  putDeleted("todo", "todos", { user_id: memberBelow, title: deleted, completed: false });
  const about = { subject: `Subject ${marker}`, reporter_id: memberBelow, page_path: `/${marker}` };
  const ticket = { ticket_id: put("ticket", "tickets", about) };
  put("ticket", "tickets", { ...about, reporter_id: memberBeside });
  const staff = { author_id: founder, staff_scope: "ORGANIZATION" };
  const reporter = { author_id: memberBelow, staff_scope: null };
  rows.put("ticket_messages", { ...ticket, ...reporter, body: `Body ${marker}`, internal: false });
  rows.put("ticket_messages", { ...ticket, ...staff, body: restrictedMarkers.notes, internal: true });
  putDeleted("ticket", "tickets", { ...about, subject: deleted });
  const asked = (email: string, token: string = crypto.randomUUID()) => ({
    ...{ email, token_hash: tokenHash(token), invited_by_id: founder },
  });
  const invite: OrganizationFixture["invite"] = (email, token, unitId) => {
    const invitation = put("invitation", "user_invitations", asked(email, token));
    const granted = { role_id: roleOf("MEMBER"), unit_id: unitId };
    rows.put("user_invitation_assignments", { invitation_id: invitation, ...granted });
  };
  invite(`asked-${word}@example.com`, crypto.randomUUID(), below);
  putDeleted("invitation", "user_invitations", asked(`${deleted}@example.com`));
  const entry = { roleId: roleOf("MEMBER"), roleName: "MEMBER", unitId: below, unitName: marker };
  for (const [action, actor, type, target, metadata] of [
    ["UNIT_CREATED", founder, "unit", below, { name: marker, parentId: null }],
    ["UNIT_CREATED", memberBeside, "unit", beside, { name: marker, parentId: null }],
    ["UNIT_CREATED", memberBelow, "unit", below, { name: marker, parentId: null }],
    ["MEMBER_ROLES_CHANGED", memberBelow, "user", memberBelow, { added: [entry], removed: [] }],
  ]) {
    const event = { action, actor_id: actor, target_type: type, target_id: target, metadata };
    rows.put("audit_events", { ...at, ...event });
  }
  put("notification", "notifications", { user_id: memberBelow });
  return {
    ...{ id, marker, restrictedMarkers, toDelete, founder, slug, customer, emails, roles },
    ...{ unit: below, ids, member, invite },
  };
}
