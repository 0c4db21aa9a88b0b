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

const READABLE_ENTITIES = [
  "Organization",
  "Units",
  "Roles",
  "Members",
  "Invitations",
  "Audit",
  "Billing",
  "Helpdesk",
  "Todos",
  "ServiceAccounts",
  "Events",
  "Webhooks",
];
/** The custom roles of each organization. */
const CUSTOM_ROLES = {
  Empty: [],
  Auditor: ["Organization.Read", "Audit.Read", "Members.Read"],
  Manager: [
    ...[
      "Organization.Read",
      "Organization.Update",
      "Units.Read",
      "Roles.Read",
      "Roles.Create",
      "Roles.Update",
    ],
    ...["Roles.Delete", "Members.Read", "Members.UpdateRoles", "Members.UpdateUnits", "Members.Delete"],
    ...["Invitations.Create", "Invitations.Read", "Invitations.Resend", "Invitations.Delete"],
  ],
  Support: ["Helpdesk.Read", "Helpdesk.ReadOne", "Helpdesk.Reply", "Helpdesk.UpdateStatus"],
  Reader: [
    ...READABLE_ENTITIES.map((entity) => `${entity}.Read`),
    "Helpdesk.ReadOne",
    "Todos.ReadAny",
    "Todos.ReadOne",
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
  /** Adds a membership with one role. */
  member(userId: string, roleId: string, unitId: string | null): void;
  invite(email: string, token: string, unitId: string | null): void;
};

/** Adds the rows of an organization with records of every kind. Every text contains a marker of the organization. */
export function addOrganization(
  rows: Rows,
  name: OrganizationName,
  endpoint: { url: string; secret: string },
): OrganizationFixture {
  const marker = markerOf(name);
  const restrictedMarkers = {
    notes: markerOf("notes"),
    platformNotes: markerOf("platf"),
    deleted: markerOf("gonex"),
  };
  // Emails, slugs and customers contain no marker, because they are sent in requests.
  const word = crypto.randomUUID();
  const slug = `slug-${word}`;
  const customer = `cus_${word}`;
  const id = rows.put("organizations", { name: `Acme ${marker}`, slug });
  const at = { organization_id: id };
  const ids: OrganizationFixture["ids"] = { organization: [id] };
  const addId = (kind: string, one: string) => {
    ids[kind] = [...(ids[kind] ?? []), one];
    return one;
  };
  rows.put("organization_subscriptions", { ...at, customer_id: customer });
  const toDelete: OrganizationFixture["toDelete"] = [];
  const addDeleted = (
    kind: string,
    table: "units" | "roles" | "todos" | "tickets" | "user_invitations",
    one: string,
  ) => toDelete.push({ table, id: addId(kind, one) });

  const unit = (text: string, parent: string | null) =>
    addId("unit", rows.put("units", { ...at, parent_id: parent, name: `${text} ${marker}` }));
  const root = unit("Root", null);
  const below = unit("Below", root);
  const beside = unit("Beside", root);
  unit("Empty", root);
  addDeleted("unit", "units", rows.put("units", { ...at, parent_id: root, name: restrictedMarkers.deleted }));
  const role = (text: string, permissions: string[]) =>
    addId("role", rows.put("roles", { ...at, name: `${text} ${marker}`, description: marker, permissions }));
  addDeleted(
    "role",
    "roles",
    rows.put("roles", {
      ...at,
      name: restrictedMarkers.deleted,
      description: restrictedMarkers.deleted,
      permissions: [],
    }),
  );
  const roles = Object.fromEntries(
    Object.entries(CUSTOM_ROLES).map(([text, permissions]) => [text, role(text, permissions)]),
  ) as OrganizationFixture["roles"];

  const member: OrganizationFixture["member"] = (userId, roleId, unitId) => {
    const membership = { membership_id: rows.put("memberships", { ...at, user_id: userId }), ...at };
    rows.put("membership_assignments", { ...membership, role_id: roleId, unit_id: unitId });
    if (unitId !== null) rows.put("membership_units", { ...membership, user_id: userId, unit_id: unitId });
  };
  const emails = ["founder", "below", "beside"].map((who) => `${who}-${word}@example.com`);
  const [founder = "", memberBelow = "", memberBeside = ""] = emails.map((email) =>
    addId(
      "user",
      rows.put("users", { email, last_name: marker, password_hash: null, is_platform_admin: false }),
    ),
  );
  member(founder, roleOf("ORG_ADMIN"), null);
  member(memberBelow, roleOf("MEMBER"), below);
  member(memberBeside, roleOf("MEMBER"), beside);

  // The key ids of one service account cannot be guessed from those of the other, so paths often contain a matching
  // pair.
  for (const [roleName, unitId] of [
    ["ORG_ADMIN", null],
    ["MEMBER", below],
  ] as const) {
    const account = addId(
      "serviceAccount",
      rows.put("service_accounts", { ...at, name: `Bot ${roleName} ${marker}`, created_by_id: founder }),
    );
    const granted = { ...at, service_account_id: account, role_id: roleOf(roleName), unit_id: unitId };
    rows.put("service_account_assignments", granted);
    const key = { ...at, service_account_id: account, name: marker, created_by_id: founder };
    addId("apiKey", rows.put("api_keys", { ...key, token_hash: tokenHash(crypto.randomUUID()) }));
  }

  const paths = { unit: [`${root}/${below}`], organization: [] };
  const webhook = addId(
    "webhookEndpoint",
    rows.put("webhook_endpoints", { ...at, ...endpoint, description: marker, created_by_id: founder }),
  );
  const changes = [
    ["unit.created", below, paths.unit, { id: below, name: marker, parentId: root }],
    ["organization.updated", id, paths.organization, { id, name: marker }],
  ] as const;
  for (const [index, [type, objectId, reachPaths, object]] of changes.entries()) {
    const sequence = index + 1;
    const written = { type, object_id: objectId, data: { object }, reach_paths: reachPaths };
    const eventId = addId("event", rows.put("events", { ...at, ...written, sequence }));
    const sent = { endpoint_id: webhook, event_id: eventId, event_type: type, sequence };
    const delivery = addId("webhookDelivery", rows.put("webhook_deliveries", { ...at, ...sent }));
    rows.put("webhook_attempts", { delivery_id: delivery, status: 200, response_excerpt: marker });
  }
  rows.put("event_sequences", { ...at, last_sequence: changes.length });

  for (const owner of [founder, memberBelow, memberBeside])
    addId(
      "todo",
      rows.put("todos", { ...at, user_id: owner, title: `Todo ${marker}`, completed: owner === memberBelow }),
    );
  addDeleted(
    "todo",
    "todos",
    rows.put("todos", { ...at, user_id: memberBelow, title: restrictedMarkers.deleted, completed: false }),
  );
  const about = { subject: `Subject ${marker}`, reporter_id: memberBelow, page_path: `/${marker}` };
  const ticket = addId("ticket", rows.put("tickets", { ...at, ...about }));
  addId("ticket", rows.put("tickets", { ...at, ...about, reporter_id: memberBeside }));
  for (const internal of [false, true]) {
    const author = {
      author_id: internal ? founder : memberBelow,
      staff_scope: internal ? "ORGANIZATION" : null,
    };
    const body = internal ? restrictedMarkers.notes : `Body ${marker}`;
    rows.put("ticket_messages", { ticket_id: ticket, ...author, body, internal });
  }
  addDeleted(
    "ticket",
    "tickets",
    rows.put("tickets", { ...at, ...about, subject: restrictedMarkers.deleted }),
  );
  const invite: OrganizationFixture["invite"] = (email, token, unitId) => {
    const sent = { ...at, email, token_hash: tokenHash(token), invited_by_id: founder };
    const invitation = addId("invitation", rows.put("user_invitations", sent));
    const granted = { role_id: roleOf("MEMBER"), unit_id: unitId };
    rows.put("user_invitation_assignments", { invitation_id: invitation, ...granted });
  };
  invite(`asked-${word}@example.com`, crypto.randomUUID(), below);
  const revoked = { ...at, email: `${restrictedMarkers.deleted}@example.com`, invited_by_id: founder };
  addDeleted(
    "invitation",
    "user_invitations",
    rows.put("user_invitations", { ...revoked, token_hash: tokenHash(crypto.randomUUID()) }),
  );
  const beyondUnits = rows.put("user_invitations", {
    ...{ ...at, email: `beyond-${word}@example.com`, invited_by_id: founder },
    token_hash: tokenHash(crypto.randomUUID()),
  });
  rows.put("user_invitation_assignments", {
    ...{ invitation_id: beyondUnits, role_id: roleOf("MEMBER"), unit_id: null },
  });
  for (const [actor, target] of [
    [founder, below],
    [memberBeside, beside],
    [memberBelow, below],
  ])
    rows.put("audit_events", {
      ...{ ...at, action: "UNIT_CREATED", actor_id: actor, target_type: "unit", target_id: target },
      metadata: { name: marker, parentId: null },
    });
  // Adds a record for a unit, for a neighbouring unit, and for the whole organization. An administrator of the
  // first unit must see only its record.
  const entry = (unitId: string | null) => ({
    ...{ roleId: roleOf("MEMBER"), roleName: "MEMBER", unitId, unitName: unitId === null ? null : marker },
  });
  for (const [action, metadata] of [
    ["MEMBER_LEFT", { roles: [below, beside, null].map(entry) }],
    ["MEMBER_ROLES_CHANGED", { added: [below].map(entry), removed: [beside, null].map(entry) }],
    [
      "USER_INVITATION_ACCEPTED",
      {
        ...{ assignments: [below].map(entry), roles: ["MEMBER"] },
        invitationId: beyondUnits,
      },
    ],
  ] as const)
    rows.put("audit_events", {
      ...{ ...at, action, actor_id: memberBelow, target_type: "user", target_id: memberBelow, metadata },
    });
  addId("notification", rows.put("notifications", { user_id: memberBelow }));
  return {
    id,
    marker,
    restrictedMarkers,
    toDelete,
    founder,
    slug,
    customer,
    emails,
    roles,
    unit: below,
    ids,
    member,
    invite,
  };
}
