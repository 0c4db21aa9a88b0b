import { builtInRoles } from "../../../../src/core/access/catalog.ts";
import { tokenHash } from "../../../../src/platform/crypto.ts";
import type { Rows } from "../../../support/rows.ts";
import type { OrganizationName } from "./callers.ts";

/** The id of a built-in role. */
export const roleOf = (name: string): string => builtInRoles.find((role) => role.name === name)?.id ?? "";

/** How a marker looks, of whichever world. No request holds one, so only a leak brings it into an answer. */
export const MARKER = /zq[a-z]{5}[0-9a-f]{12}q/g;
const markerOf = (name: string) =>
  `zq${name.padEnd(5, "x").slice(0, 5)}${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}q`;

const READS = [
  "Organization",
  "Units",
  "Roles",
  "Members",
  "Invitations",
  "Audit",
  "Billing",
  "Helpdesk",
  "Todos",
];
/** Roles of an organization beside the built-in ones. */
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
  Reader: [...READS.map((entity) => `${entity}.Read`), "Helpdesk.ReadOne", "Todos.ReadAny", "Todos.ReadOne"],
};

/** What requests need to know of a planted organization. */
export type Planted = {
  id: string;
  marker: string;
  /** What only staff of the organization, or only staff of the platform reads, and what nobody does: it was deleted. */
  words: { notes: string; platformNotes: string; gone: string };
  /** What is to be deleted once it is inserted. */
  gone: { table: string; id: string }[];
  slug: string;
  customer: string;
  emails: string[];
  roles: Record<keyof typeof CUSTOM_ROLES, string>;
  founder: string;
  /** A unit in the middle of the tree. */
  unit: string;
  ids: Record<string, string[]>;
  /** Makes an account a member, with one role. */
  member(userId: string, roleId: string, unitId: string | null): void;
  invite(email: string, token: string, unitId: string | null): void;
};

/** An organization with records of every kind, whose texts all hold its marker. */
export function plantOrganization(rows: Rows, name: OrganizationName): Planted {
  const marker = markerOf(name);
  const words = { notes: markerOf("notes"), platformNotes: markerOf("platf"), gone: markerOf("gonex") };
  // What requests send is no marker: emails, slugs and customers.
  const word = crypto.randomUUID();
  const slug = `slug-${word}`;
  const customer = `cus_${word}`;
  const id = rows.put("organizations", { name: `Acme ${marker}`, slug });
  const at = { organization_id: id };
  const ids: Planted["ids"] = { organization: [id] };
  const keep = (kind: string, one: string) => {
    ids[kind] = [...(ids[kind] ?? []), one];
    return one;
  };
  rows.put("organization_subscriptions", { ...at, customer_id: customer });
  const gone: Planted["gone"] = [];
  const keepGone = (
    kind: string,
    table: "units" | "roles" | "todos" | "tickets" | "user_invitations",
    one: string,
  ) => gone.push({ table, id: keep(kind, one) });

  const unit = (text: string, parent: string | null) =>
    keep("unit", rows.put("units", { ...at, parent_id: parent, name: `${text} ${marker}` }));
  const root = unit("Root", null);
  const below = unit("Below", root);
  const beside = unit("Beside", root);
  unit("Empty", root);
  keepGone("unit", "units", rows.put("units", { ...at, parent_id: root, name: words.gone }));
  const role = (text: string, permissions: string[]) =>
    keep("role", rows.put("roles", { ...at, name: `${text} ${marker}`, description: marker, permissions }));
  keepGone(
    "role",
    "roles",
    rows.put("roles", { ...at, name: words.gone, description: words.gone, permissions: [] }),
  );
  const roles = Object.fromEntries(
    Object.entries(CUSTOM_ROLES).map(([text, permissions]) => [text, role(text, permissions)]),
  ) as Planted["roles"];

  const member: Planted["member"] = (userId, roleId, unitId) => {
    const membership = { membership_id: rows.put("memberships", { ...at, user_id: userId }), ...at };
    rows.put("membership_assignments", { ...membership, role_id: roleId, unit_id: unitId });
    if (unitId !== null) rows.put("membership_units", { ...membership, user_id: userId, unit_id: unitId });
  };
  const emails = ["founder", "plain", "apart"].map((who) => `${who}-${word}@example.com`);
  const [founder = "", plain = "", apart = ""] = emails.map((email) =>
    keep(
      "user",
      rows.put("users", { email, last_name: marker, password_hash: null, is_platform_admin: false }),
    ),
  );
  member(founder, roleOf("ORG_ADMIN"), null);
  member(plain, roleOf("MEMBER"), below);
  member(apart, roleOf("MEMBER"), beside);

  for (const owner of [founder, plain, apart])
    keep(
      "todo",
      rows.put("todos", { ...at, user_id: owner, title: `Todo ${marker}`, completed: owner === plain }),
    );
  keepGone(
    "todo",
    "todos",
    rows.put("todos", { ...at, user_id: plain, title: words.gone, completed: false }),
  );
  const about = { subject: `Subject ${marker}`, reporter_id: plain, page_path: `/${marker}` };
  const ticket = keep("ticket", rows.put("tickets", { ...at, ...about }));
  keep("ticket", rows.put("tickets", { ...at, ...about, reporter_id: apart }));
  for (const internal of [false, true]) {
    const author = { author_id: internal ? founder : plain, staff_scope: internal ? "ORGANIZATION" : null };
    const body = internal ? words.notes : `Body ${marker}`;
    rows.put("ticket_messages", { ticket_id: ticket, ...author, body, internal });
  }
  keepGone("ticket", "tickets", rows.put("tickets", { ...at, ...about, subject: words.gone }));
  const invite: Planted["invite"] = (email, token, unitId) => {
    const sent = { ...at, email, token_hash: tokenHash(token), invited_by_id: founder };
    const invitation = keep("invitation", rows.put("user_invitations", sent));
    const granted = { role_id: roleOf("MEMBER"), unit_id: unitId };
    rows.put("user_invitation_assignments", { invitation_id: invitation, ...granted });
  };
  invite(`asked-${word}@example.com`, crypto.randomUUID(), below);
  const revoked = { ...at, email: `${words.gone}@example.com`, invited_by_id: founder };
  keepGone(
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
    [apart, beside],
    [plain, below],
  ])
    rows.put("audit_events", {
      ...{ ...at, action: "UNIT_CREATED", actor_id: actor, target_type: "unit", target_id: target },
      metadata: { name: marker, parentId: null },
    });
  // What somebody had held in a unit, beside it and everywhere: those of one unit see the first entry alone.
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
      ...{ ...at, action, actor_id: plain, target_type: "user", target_id: plain, metadata },
    });
  keep("notification", rows.put("notifications", { user_id: plain }));
  return {
    id,
    marker,
    words,
    gone,
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
