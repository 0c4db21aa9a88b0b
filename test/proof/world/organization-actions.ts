import type { Actions } from "./requests.ts";

/** Roles in the body of a request: the role of this name, in a unit of this name or in the whole organization. */
export const as = (role: string, unit?: string) => ({
  assignments: [{ roleId: `{${role}}`, unitId: unit === undefined ? null : `{${unit}}` }],
});

const INVITE = "POST /members/invitations";
const ACCEPT = "POST /auth/accept-invitation";
const EMAIL = "new-{unique}@example.com";
const OFTEN = "often-{unique}@example.com";
const PERSON = { password: "another blue yonder", firstName: "New", lastName: "Person" };
const THIRD = { name: "Third", slug: "wanted-{unique}", ownerEmail: "owner-{unique}@example.com" };
const IN_ORGANIZATION = { headers: { "x-organization-id": "{org}" } };
const MEMBER = "/members/{member}";
const STAFF = "/organization/helpdesk/tickets";

/** Writes that lock the organization, or that change the same rows as such writes. */
export const ORGANIZATION_ACTIONS: Actions = {
  invite: ["founder", INVITE, { email: EMAIL, ...as("MEMBER") }],
  "invite the same": ["second", INVITE, { email: EMAIL, ...as("MEMBER", "child") }],
  "invite the invited": ["second", INVITE, { email: "{invited.email}", ...as("MEMBER") }],
  "invite into a unit": ["founder", INVITE, { email: `x-${EMAIL}`, ...as("MEMBER", "empty") }],
  "invite to a role": ["founder", INVITE, { email: `y-${EMAIL}`, ...as("unused") }],
  "invite the often invited": ["founder", INVITE, { email: OFTEN, ...as("MEMBER") }],
  "invite the often invited elsewhere": ["founder elsewhere", INVITE, { email: OFTEN, ...as("MEMBER") }],
  "resend the expired": ["second", "POST /members/invitations/{expired invitation}/resend"],
  "revoke the expired": ["founder", "DELETE /members/invitations/{expired invitation}"],
  resend: ["second", "POST /members/invitations/{invitation}/resend"],
  revoke: ["founder", "DELETE /members/invitations/{invitation}"],
  "revoke a stranger's": ["founder", "DELETE /members/invitations/{invitation of a stranger}"],
  accept: ["invited", ACCEPT, { token: "invitation-{unique}" }],
  "accept anew": ["nobody", ACCEPT, { token: "invitation of a stranger-{unique}", ...PERSON }],
  "remove member": ["founder", `DELETE ${MEMBER}`],
  "remove founder": ["second", "DELETE /members/{founder}"],
  "change roles": ["second", `PATCH ${MEMBER}/roles`, as("UNIT_ADMIN", "root")],
  "make admin": ["founder", `PATCH ${MEMBER}/roles`, as("ORG_ADMIN")],
  "demote second": ["founder", "PATCH /members/{second}/roles", as("MEMBER")],
  "demote founder": ["second", "PATCH /members/{founder}/roles", as("MEMBER")],
  "leave as founder": ["founder", "POST /organization/leave"],
  "leave as second": ["second", "POST /organization/leave"],
  "leave as member": ["member", "POST /organization/leave"],
  "move child": ["founder", "PATCH /units/{child}", { parentId: "{other}" }],
  "move other": ["second", "PATCH /units/{other}", { parentId: "{child}" }],
  "move empty": ["second", "PATCH /units/{empty}", { parentId: "{unit1}" }],
  "rename unit": ["second", "PATCH /units/{empty}", { name: "renamed" }],
  "delete unit": ["founder", "DELETE /units/{empty}"],
  "delete parent": ["second", "DELETE /units/{unit1}"],
  "link to unit": ["second", `PATCH ${MEMBER}/units`, { unitIds: ["{child}", "{empty}"] }],
  "assign in unit": ["second", `PATCH ${MEMBER}/roles`, as("MEMBER", "empty")],
  "create subunit": ["second", "POST /units", { name: "sub", parentId: "{empty}" }],
  "create unit": ["founder", "POST /units", { name: "new", parentId: null }],
  "describe role": ["founder", "PATCH /roles/{custom}", { description: "new" }],
  "describe unused role": ["founder", "PATCH /roles/{unused}", { description: "new" }],
  "delete role": ["founder", "DELETE /roles/{unused}"],
  "grant role": ["second", `PATCH ${MEMBER}/roles`, as("unused")],
  "change role": ["second", "PATCH /roles/{unused}", { permissions: ["Units.Read", "Todos.Read"] }],
  "create role": ["founder", "POST /roles", { name: "Twin", permissions: [] }],
  "create role again": ["second", "POST /roles", { name: "twin", permissions: ["Units.Read"] }],
  "rename role": ["second", "PATCH /roles/{custom}", { name: "TWIN" }],
  "default role": ["second", "PATCH /organization", { defaultRoleId: "{unused}" }],
  "change slug": ["founder", "PATCH /organization", { slug: "wanted-{unique}" }],
  "rename organization": ["second", "PATCH /organization", { name: "Renamed" }],
  "create with slug": ["operator", "POST /organizations", THIRD],
  "derive a slug": ["second", "POST /auth/organizations", { name: "wanted {unique}" }],
  suspend: ["operator", "PATCH /organizations/{org}/status", { status: "SUSPENDED" }],
  "delete organization": ["operator2", "DELETE /organizations/{org}"],
  "smaller plan": ["operator", "PATCH /organizations/{org}/plan", { planOverride: "free" }],
  "no override": ["operator2", "PATCH /organizations/{org}/plan", { planOverride: null }],
  "create todo": ["member", "POST /todos", { title: "new" }],
  "create another todo": ["founder", "POST /todos", { title: "another" }],
  "change todo": ["member", "PATCH /todos/{todo}", { completed: true }],
  "rename todo": ["founder", "PATCH /todos/{todo}", { title: "renamed" }],
  "delete todo": ["founder", "DELETE /todos/{todo}"],
  "reply as reporter": ["member", "POST /support/tickets/{ticket}/messages", { message: "more" }],
  "close ticket": ["member", "POST /support/tickets/{ticket}/close"],
  "reply to resolved": ["member", "POST /support/tickets/{resolved}/messages", { message: "again" }],
  "close resolved": ["member", "POST /support/tickets/{resolved}/close"],
  "reopen resolved": ["second", `PATCH ${STAFF}/{resolved}`, { status: "IN_PROGRESS" }],
  "reply as staff": ["founder", `POST ${STAFF}/{ticket}/messages`, { message: "response" }],
  "resolve ticket": ["second", `PATCH ${STAFF}/{ticket}`, { status: "RESOLVED" }],
  "delete ticket": ["operator", "DELETE /helpdesk/tickets/{ticket}"],
  "remove as operator": ["operator", "DELETE /members/{second}", undefined, IN_ORGANIZATION],
};

const ACCOUNTS = "/service-accounts";
const MACHINE = "/service-accounts/{machine}";
const KEY = `${MACHINE}/keys/{key}`;

/** Writes that change service accounts and API keys, by people and by an API key. */
export const MACHINE_ACTIONS: Actions = {
  "create account": ["founder", `POST ${ACCOUNTS}`, { name: "Bot", ...as("MEMBER") }],
  "create account with a role": ["second", `POST ${ACCOUNTS}`, { name: "BOT", ...as("unused") }],
  "create account in a unit": ["second", `POST ${ACCOUNTS}`, { name: "Other bot", ...as("MEMBER", "empty") }],
  "give account a role": ["second", `PATCH ${ACCOUNTS}/{full machine}/roles`, as("unused")],
  "demote account": ["second", `PATCH ${MACHINE}/roles`, as("MEMBER")],
  "disable account": ["second", `PATCH ${MACHINE}`, { enabled: false }],
  "rename account": ["founder", `PATCH ${MACHINE}`, { name: "bot" }],
  "delete account of a machine": ["second", `DELETE ${MACHINE}`],
  "create key": ["second", `POST ${MACHINE}/keys`, { name: "new" }],
  "create the tenth key": ["founder", `POST ${ACCOUNTS}/{full machine}/keys`, { name: "tenth" }],
  "rotate key": ["founder", `POST ${KEY}/rotate`, { overlapSeconds: 60 }],
  "rotate key at once": ["second", `POST ${KEY}/rotate`, { overlapSeconds: 0 }],
  "revoke key": ["second", `DELETE ${KEY}`],
  "report key": ["nobody", "POST /auth/revoke-key", { key: "{clear key}" }],
  "narrow key": ["founder", `PATCH ${KEY}`, { allowedIps: ["192.0.2.1"] }],
  "create role by key": ["key", "POST /roles", { name: "Twin", permissions: [] }],
  "invite by key": ["key", INVITE, { email: EMAIL, ...as("unused") }],
  "move unit by key": ["key", "PATCH /units/{child}", { parentId: "{other}" }],
};

const once = (key: string) => ({ headers: { "idempotency-key": key } });

/**
 * Writes that are repeated with the same `Idempotency-Key`, and a write that reuses the key for a different
 * request.
 */
export const KEYED_ACTIONS: Actions = {
  "unit once": ["founder", "POST /units", { name: "once", parentId: null }, once("once")],
  "other unit once": ["founder", "POST /units", { name: "other", parentId: null }, once("once")],
  "role once": ["second", "POST /roles", { name: "once", permissions: [] }, once("role")],
  "key once": ["second", `POST ${MACHINE}/keys`, { name: "once" }, once("key")],
  "role once by key": ["key", "POST /roles", { name: "once by key", permissions: [] }, once("by key")],
};

const ENDPOINTS = "/webhooks/endpoints";
const ENDPOINT = `${ENDPOINTS}/{endpoint}`;
const register = (name: string) => ({ url: `https://${name}.example.com/`, eventTypes: ["todo.created"] });

/** Writes about webhook endpoints and their deliveries. The plan allows one more endpoint. */
export const WEBHOOK_ACTIONS: Actions = {
  "create endpoint": ["founder", `POST ${ENDPOINTS}`, register("one")],
  "create another endpoint": ["second", `POST ${ENDPOINTS}`, register("two")],
  "create endpoint by key": ["key", `POST ${ENDPOINTS}`, register("key")],
  "change endpoint's types": ["founder", `PATCH ${ENDPOINT}`, { eventTypes: ["unit.created"] }],
  "change endpoint's address": ["second", `PATCH ${ENDPOINT}`, { url: "https://new.example.com/" }],
  "describe endpoint": ["second", `PATCH ${ENDPOINT}`, { description: "new" }],
  "disable endpoint": ["founder", `PATCH ${ENDPOINT}`, { enabled: false }],
  "enable endpoint": ["second", `PATCH ${ENDPOINTS}/{disabled endpoint}`, { enabled: true }],
  "delete endpoint": ["second", `DELETE ${ENDPOINT}`],
  "rotate secret": ["founder", `POST ${ENDPOINT}/rotate-secret`, {}],
  "rotate secret at once": ["second", `POST ${ENDPOINT}/rotate-secret`, { overlapSeconds: 0 }],
  "test endpoint": ["founder", `POST ${ENDPOINT}/test`],
  "resend delivery": ["founder", `POST ${ENDPOINT}/deliveries/{delivery}/resend`],
  "resend delivery again": ["second", `POST ${ENDPOINT}/deliveries/{delivery}/resend`],
  "recover deliveries": ["second", `POST ${ENDPOINT}/recover`, { from: "2026-01-01T00:00:00Z" }],
};
