import type { SignedEvent } from "../../src/dev/payments.ts";
import { PASSWORD, type Person, roleOf, type World } from "./world.ts";

/** A request of an action. */
export type Send = {
  method: string;
  path: string;
  who: Person | null;
  body?: unknown;
  cookie?: string;
  headers?: Record<string, string>;
  raw?: string;
};
export type Sign = (type: string, customer: string, id: string) => SignedEvent;
type Action = (world: World, sign: Sign) => Send;

const given = (roleId: string | undefined, unitId: string | null = null) => ({
  assignments: [{ roleId: roleId ?? "", unitId }],
});
const MEMBER = roleOf("MEMBER");
const ADMIN = roleOf("ORG_ADMIN");
const INVITATIONS = "/api/members/invitations";
const post = (path: string, who: Person | null, body?: unknown, more: Partial<Send> = {}): Send => ({
  ...{ method: "POST", path, who, ...(body !== undefined && { body }) },
  ...more,
});
const patch = (path: string, who: Person, body: unknown): Send => ({ method: "PATCH", path, who, body });
const remove = (path: string, who: Person): Send => ({ method: "DELETE", path, who });
const acting = ({ ids }: World) => ({ headers: { "x-organization-id": ids.org ?? "" } });
const asked = ({ unique }: World) => `new-${unique}@example.com`;

/** Writes under the lock of the organization, or on rows that those write. */
const ofOrganization: Record<string, Action> = {
  invite: (w) => post(INVITATIONS, w.people.founder, { email: asked(w), ...given(MEMBER) }),
  "invite the same": (w) =>
    post(INVITATIONS, w.people.second, { email: asked(w), ...given(MEMBER, w.ids.child ?? "") }),
  "invite the invited": (w) =>
    post(INVITATIONS, w.people.second, { email: w.people.invited.email, ...given(MEMBER) }),
  "invite into a unit": (w) =>
    post(INVITATIONS, w.people.founder, { email: `x-${asked(w)}`, ...given(MEMBER, w.ids.empty ?? "") }),
  "invite to a role": (w) =>
    post(INVITATIONS, w.people.founder, { email: `y-${asked(w)}`, ...given(w.ids.unused) }),
  resend: (w) => post(`${INVITATIONS}/${w.ids.invitation}/resend`, w.people.second),
  revoke: (w) => remove(`${INVITATIONS}/${w.ids.invitation}`, w.people.founder),
  "revoke a stranger's": (w) =>
    remove(`${INVITATIONS}/${w.ids["invitation of a stranger"]}`, w.people.founder),
  accept: (w) => post("/api/auth/accept-invitation", w.people.invited, { token: `invitation-${w.unique}` }),
  "accept anew": (w) =>
    post("/api/auth/accept-invitation", null, {
      ...{ token: `invitation of a stranger-${w.unique}`, password: "another blue yonder" },
      ...{ firstName: "New", lastName: "Person" },
    }),
  "remove member": (w) => remove(`/api/members/${w.people.member.id}`, w.people.founder),
  "remove founder": (w) => remove(`/api/members/${w.people.founder.id}`, w.people.second),
  "change roles": (w) =>
    patch(
      `/api/members/${w.people.member.id}/roles`,
      w.people.second,
      given(roleOf("UNIT_ADMIN"), w.ids.root),
    ),
  "make admin": (w) => patch(`/api/members/${w.people.member.id}/roles`, w.people.founder, given(ADMIN)),
  "demote second": (w) => patch(`/api/members/${w.people.second.id}/roles`, w.people.founder, given(MEMBER)),
  "demote founder": (w) => patch(`/api/members/${w.people.founder.id}/roles`, w.people.second, given(MEMBER)),
  "leave as founder": (w) => post("/api/organization/leave", w.people.founder),
  "leave as second": (w) => post("/api/organization/leave", w.people.second),
  "leave as member": (w) => post("/api/organization/leave", w.people.member),
  "move child": (w) => patch(`/api/units/${w.ids.child}`, w.people.founder, { parentId: w.ids.other }),
  "move other": (w) => patch(`/api/units/${w.ids.other}`, w.people.second, { parentId: w.ids.child }),
  "move empty": (w) => patch(`/api/units/${w.ids.empty}`, w.people.second, { parentId: w.ids.unit1 }),
  "rename unit": (w) => patch(`/api/units/${w.ids.empty}`, w.people.second, { name: "renamed" }),
  "delete unit": (w) => remove(`/api/units/${w.ids.empty}`, w.people.founder),
  "delete parent": (w) => remove(`/api/units/${w.ids.unit1}`, w.people.second),
  "link to unit": (w) =>
    patch(`/api/members/${w.people.member.id}/units`, w.people.second, {
      unitIds: [w.ids.child, w.ids.empty],
    }),
  "assign in unit": (w) =>
    patch(`/api/members/${w.people.member.id}/roles`, w.people.second, given(MEMBER, w.ids.empty)),
  "create subunit": (w) => post("/api/units", w.people.second, { name: "sub", parentId: w.ids.empty }),
  "create unit": (w) => post("/api/units", w.people.founder, { name: "new", parentId: null }),
  "delete role": (w) => remove(`/api/roles/${w.ids.unused}`, w.people.founder),
  "grant role": (w) =>
    patch(`/api/members/${w.people.member.id}/roles`, w.people.second, given(w.ids.unused)),
  "change role": (w) =>
    patch(`/api/roles/${w.ids.unused}`, w.people.second, { permissions: ["Units.Read", "Todos.Read"] }),
  "create role": (w) => post("/api/roles", w.people.founder, { name: "Twin", permissions: [] }),
  "create role again": (w) =>
    post("/api/roles", w.people.second, { name: "twin", permissions: ["Units.Read"] }),
  "rename role": (w) => patch(`/api/roles/${w.ids.custom}`, w.people.second, { name: "TWIN" }),
  "default role": (w) => patch("/api/organization", w.people.second, { defaultRoleId: w.ids.unused }),
  "change slug": (w) => patch("/api/organization", w.people.founder, { slug: `wanted-${w.unique}` }),
  "create with slug": (w) =>
    post("/api/organizations", w.people.operator, {
      ...{ name: "Third", slug: `wanted-${w.unique}`, ownerEmail: `owner-${w.unique}@example.com` },
    }),
  "derive a slug": (w) => post("/api/auth/organizations", w.people.second, { name: `wanted ${w.unique}` }),
  suspend: (w) => patch(`/api/organizations/${w.ids.org}/status`, w.people.operator, { status: "SUSPENDED" }),
  "delete organization": (w) => remove(`/api/organizations/${w.ids.org}`, w.people.operator2),
  "smaller plan": (w) =>
    patch(`/api/organizations/${w.ids.org}/plan`, w.people.operator, { planOverride: "free" }),
  "no override": (w) =>
    patch(`/api/organizations/${w.ids.org}/plan`, w.people.operator2, { planOverride: null }),
  "create todo": (w) => post("/api/todos", w.people.member, { title: "new" }),
  "create another todo": (w) => post("/api/todos", w.people.founder, { title: "another" }),
  "change todo": (w) => patch(`/api/todos/${w.ids.todo}`, w.people.member, { completed: true }),
  "delete todo": (w) => remove(`/api/todos/${w.ids.todo}`, w.people.founder),
  "reply as reporter": (w) =>
    post(`/api/support/tickets/${w.ids.ticket}/messages`, w.people.member, { message: "more" }),
  "close ticket": (w) => post(`/api/support/tickets/${w.ids.ticket}/close`, w.people.member),
  "reply as staff": (w) =>
    post(`/api/organization/helpdesk/tickets/${w.ids.ticket}/messages`, w.people.founder, {
      message: "answer",
    }),
  "resolve ticket": (w) =>
    patch(`/api/organization/helpdesk/tickets/${w.ids.ticket}`, w.people.second, { status: "RESOLVED" }),
  "delete ticket": (w) => remove(`/api/helpdesk/tickets/${w.ids.ticket}`, w.people.operator),
  "payment event": (w, sign) => event(sign("customer.subscription.updated", w.customer, `evt_${w.unique}`)),
  "another payment event": (w, sign) =>
    event(sign("customer.subscription.updated", w.customer, `evt2_${w.unique}`)),
  "remove as operator": (w) => ({
    ...remove(`/api/members/${w.people.second.id}`, w.people.operator),
    ...acting(w),
  }),
};

const event = ({ body, signature }: SignedEvent): Send =>
  post("/api/billing/webhook", null, undefined, { raw: body, headers: { "stripe-signature": signature } });

/** Writes under the lock of a user. */
const ofUser: Record<string, Action> = {
  refresh: ({ people: { member } }) => post("/api/auth/refresh", null, undefined, { cookie: member.cookie }),
  "refresh the other": ({ people: { member } }) =>
    post("/api/auth/refresh", null, undefined, { cookie: member.otherCookie }),
  logout: ({ people: { member } }) => post("/api/auth/logout", member, undefined, { cookie: member.cookie }),
  switch: ({ people: { member }, ids }) =>
    post("/api/auth/organization", member, { organizationId: ids.beside }, { cookie: member.cookie }),
  "sign in": ({ people: { member } }) =>
    post("/api/auth/login", null, { email: member.email, password: PASSWORD }),
  "change password": ({ people: { member } }) =>
    post("/api/profile/password", member, { currentPassword: PASSWORD, newPassword: "another blue yonder" }),
  "reset password": ({ unique }) =>
    post("/api/auth/reset-password", null, { token: `reset-${unique}`, newPassword: "a third blue yonder" }),
  "delete account": ({ people: { member } }) => post("/api/profile/delete", member, { password: PASSWORD }),
  "delete founder's account": ({ people: { founder } }) =>
    post("/api/profile/delete", founder, { password: PASSWORD }),
  "delete user": ({ people }) => remove(`/api/users/${people.member.id}`, people.operator),
  "end a session": ({ people: { member } }) => remove(`/api/profile/sessions/${member.sids[1]}`, member),
  "end other sessions": ({ people: { member } }) => remove("/api/profile/sessions", member),
  "end all sessions": ({ people }) => remove(`/api/users/${people.member.id}/sessions`, people.operator),
  promote: ({ people }) =>
    patch(`/api/users/${people.member.id}`, people.operator, { isPlatformAdmin: true }),
  "demote operator": ({ people }) =>
    patch(`/api/users/${people.operator.id}`, people.operator2, { isPlatformAdmin: false }),
  "demote operator2": ({ people }) =>
    patch(`/api/users/${people.operator2.id}`, people.operator, { isPlatformAdmin: false }),
  "delete operator's account": ({ people: { operator } }) =>
    post("/api/profile/delete", operator, { password: PASSWORD }),
  "verify email": ({ unique }) => post("/api/auth/verify-email", null, { token: `verification-${unique}` }),
  "second factor": ({ unique }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge-${unique}`, recoveryCode: "aaaa" }),
  "second factor, same code": ({ unique }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge2-${unique}`, recoveryCode: "aaaa" }),
  "second factor, same challenge": ({ unique }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge-${unique}`, recoveryCode: "bbbb" }),
  "disable second factor": ({ people: { factor } }) =>
    post("/api/profile/2fa/disable", factor, { password: PASSWORD, code: "bbbb" }),
  "reset second factor": ({ people }) => remove(`/api/users/${people.factor.id}/2fa`, people.operator),
  "read all": ({ people: { member } }) => post("/api/notifications/read-all", member),
  "read one": ({ people: { member }, ids }) => post(`/api/notifications/${ids.notification}/read`, member),
  dismiss: ({ people: { member }, ids }) => remove(`/api/notifications/${ids.notification}`, member),
};

export const ACTIONS: Record<string, Action> = { ...ofOrganization, ...ofUser };

/** Of a user's account or sessions, and yet something of the organization changes with it. */
const OF_BOTH = [
  ...["refresh", "switch", "sign in", "delete account", "delete founder's account", "delete user", "promote"],
  ...["demote operator", "read all", "verify email"],
];

/** Every pair of writes that share a lock or a row, also of a write with itself. */
export const PAIRS: [string, string][] = [
  ...pairsOf(Object.keys(ofOrganization)),
  ...pairsOf(Object.keys(ofUser)),
  ...Object.keys(ofOrganization).flatMap((one) => OF_BOTH.map((other): [string, string] => [one, other])),
];

function pairsOf(all: string[]): [string, string][] {
  return all.flatMap((one, index) => all.slice(index).map((other): [string, string] => [one, other]));
}

/** Sends an action's request to an instance; returns its status, its error's code, and whether it set a cookie. */
export async function perform(
  url: string,
  { method, path, who, body, cookie, headers, raw }: Send,
): Promise<string> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(who && { authorization: `Bearer ${who.token}` }),
      ...(cookie && { cookie: `refresh_token=${cookie}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  const code = response.status >= 400 ? ` ${(JSON.parse(text) as { code: string }).code}` : "";
  const set = response.headers.getSetCookie().some((value) => /^refresh_token=[^;]/.test(value));
  return `${response.status}${code}${set ? " with a cookie" : ""}`;
}
