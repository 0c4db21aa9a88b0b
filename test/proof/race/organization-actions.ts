import type { SignedEvent } from "../../../src/dev/payments.ts";
import { type Fixture, roleOf } from "./fixture.ts";
import { type Action, type ActionRequest, patch, post, remove } from "./send.ts";

const assignmentOf = (roleId: string | undefined, unitId: string | null = null) => ({
  assignments: [{ roleId: roleId ?? "", unitId }],
});
const MEMBER = roleOf("MEMBER");
const ADMIN = roleOf("ORG_ADMIN");
const INVITATIONS = "/api/members/invitations";
const inOrganization = ({ ids }: Fixture) => ({ headers: { "x-organization-id": ids.org ?? "" } });
const newEmail = ({ unique }: Fixture) => `new-${unique}@example.com`;

/** Writes that lock the organization, or that change the same rows as such writes. */
export const ORGANIZATION_ACTIONS: Record<string, Action> = {
  invite: (w) => post(INVITATIONS, w.people.founder, { email: newEmail(w), ...assignmentOf(MEMBER) }),
  "invite the same": (w) =>
    post(INVITATIONS, w.people.second, { email: newEmail(w), ...assignmentOf(MEMBER, w.ids.child ?? "") }),
  "invite the invited": (w) =>
    post(INVITATIONS, w.people.second, { email: w.people.invited.email, ...assignmentOf(MEMBER) }),
  "invite into a unit": (w) =>
    post(INVITATIONS, w.people.founder, {
      email: `x-${newEmail(w)}`,
      ...assignmentOf(MEMBER, w.ids.empty ?? ""),
    }),
  "invite to a role": (w) =>
    post(INVITATIONS, w.people.founder, { email: `y-${newEmail(w)}`, ...assignmentOf(w.ids.unused) }),
  "invite the often invited": (w) =>
    post(INVITATIONS, w.people.founder, { email: w.frequentlyInvited, ...assignmentOf(MEMBER) }),
  "invite the often invited from another organization": (w) =>
    post(
      INVITATIONS,
      { ...w.people.founder, token: w.people.founder.otherOrganizationToken },
      { email: w.frequentlyInvited, ...assignmentOf(MEMBER) },
    ),
  "resend the expired": (w) => post(`${INVITATIONS}/${w.ids["expired invitation"]}/resend`, w.people.second),
  "revoke the expired": (w) => remove(`${INVITATIONS}/${w.ids["expired invitation"]}`, w.people.founder),
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
      assignmentOf(roleOf("UNIT_ADMIN"), w.ids.root),
    ),
  "make admin": (w) =>
    patch(`/api/members/${w.people.member.id}/roles`, w.people.founder, assignmentOf(ADMIN)),
  "demote second": (w) =>
    patch(`/api/members/${w.people.second.id}/roles`, w.people.founder, assignmentOf(MEMBER)),
  "demote founder": (w) =>
    patch(`/api/members/${w.people.founder.id}/roles`, w.people.second, assignmentOf(MEMBER)),
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
    patch(`/api/members/${w.people.member.id}/roles`, w.people.second, assignmentOf(MEMBER, w.ids.empty)),
  "create subunit": (w) => post("/api/units", w.people.second, { name: "sub", parentId: w.ids.empty }),
  "create unit": (w) => post("/api/units", w.people.founder, { name: "new", parentId: null }),
  "describe role": (w) => patch(`/api/roles/${w.ids.custom}`, w.people.founder, { description: "new" }),
  "describe unused role": (w) =>
    patch(`/api/roles/${w.ids.unused}`, w.people.founder, { description: "new" }),
  "delete role": (w) => remove(`/api/roles/${w.ids.unused}`, w.people.founder),
  "grant role": (w) =>
    patch(`/api/members/${w.people.member.id}/roles`, w.people.second, assignmentOf(w.ids.unused)),
  "change role": (w) =>
    patch(`/api/roles/${w.ids.unused}`, w.people.second, { permissions: ["Units.Read", "Todos.Read"] }),
  "create role": (w) => post("/api/roles", w.people.founder, { name: "Twin", permissions: [] }),
  "create role again": (w) =>
    post("/api/roles", w.people.second, { name: "twin", permissions: ["Units.Read"] }),
  "rename role": (w) => patch(`/api/roles/${w.ids.custom}`, w.people.second, { name: "TWIN" }),
  "default role": (w) => patch("/api/organization", w.people.second, { defaultRoleId: w.ids.unused }),
  "change slug": (w) => patch("/api/organization", w.people.founder, { slug: `wanted-${w.unique}` }),
  "rename organization": (w) => patch("/api/organization", w.people.second, { name: "Renamed" }),
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
  "rename todo": (w) => patch(`/api/todos/${w.ids.todo}`, w.people.founder, { title: "renamed" }),
  "delete todo": (w) => remove(`/api/todos/${w.ids.todo}`, w.people.founder),
  "reply as reporter": (w) =>
    post(`/api/support/tickets/${w.ids.ticket}/messages`, w.people.member, { message: "more" }),
  "close ticket": (w) => post(`/api/support/tickets/${w.ids.ticket}/close`, w.people.member),
  "reply to resolved": (w) =>
    post(`/api/support/tickets/${w.ids.resolved}/messages`, w.people.member, { message: "again" }),
  "close resolved": (w) => post(`/api/support/tickets/${w.ids.resolved}/close`, w.people.member),
  "reopen resolved": (w) =>
    patch(`/api/organization/helpdesk/tickets/${w.ids.resolved}`, w.people.second, { status: "IN_PROGRESS" }),
  "reply as staff": (w) =>
    post(`/api/organization/helpdesk/tickets/${w.ids.ticket}/messages`, w.people.founder, {
      message: "response",
    }),
  "resolve ticket": (w) =>
    patch(`/api/organization/helpdesk/tickets/${w.ids.ticket}`, w.people.second, { status: "RESOLVED" }),
  "delete ticket": (w) => remove(`/api/helpdesk/tickets/${w.ids.ticket}`, w.people.operator),
  "payment event": (w, sign) => event(sign("customer.subscription.updated", w.customer, `evt_${w.unique}`)),
  "another payment event": (w, sign) =>
    event(sign("customer.subscription.updated", w.customer, `evt2_${w.unique}`)),
  "remove as operator": (w) => ({
    ...remove(`/api/members/${w.people.second.id}`, w.people.operator),
    ...inOrganization(w),
  }),
};

const event = ({ body, signature }: SignedEvent): ActionRequest =>
  post("/api/billing/webhook", null, undefined, { raw: body, headers: { "stripe-signature": signature } });
