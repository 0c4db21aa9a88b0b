import { expect, test } from "bun:test";
import { ORGANIZATION_TICKETS, report } from "../../support/helpdesk.ts";
import {
  acceptAs,
  acceptNew,
  INVITATIONS,
  invite,
  invited,
  listed,
  resend,
  revoke,
} from "../../support/invitations.ts";
import { ACCOUNTS, createAccount, createKey, keyPath } from "../../support/machines.ts";
import {
  assignments,
  createOrganization,
  type Organization,
  type RoleAssignment,
  userIdOf,
} from "../../support/organizations.ts";
import { eventsOf, NOT_IN_EVENTS, type OutgoingEvent, relay } from "../../support/outgoing-events.ts";
import { startServiceWithPayments } from "../../support/payments.ts";
import { setPlanOverride } from "../../support/plans.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

const t = await startService();

/** Runs `work`; returns the only event that it has caused. */
async function eventOf(org: Organization, work: () => Promise<unknown>): Promise<OutgoingEvent> {
  const events = await eventsOf(t, org.admin, work);
  expect(events.map(({ type }) => type)).toHaveLength(1);
  return events[0] as OutgoingEvent;
}

test("an event has type, version, time, organization, actor and request id", async () => {
  const org = await createOrganization(t);
  let created = { body: { id: "" }, headers: new Headers() };
  const event = await eventOf(org, async () => {
    created = expectStatus(await org.admin.post("/api/units", { name: "Sales", parentId: null }), 201);
  });
  expect(event).toEqual({
    id: expect.any(String),
    sequence: 2,
    type: "unit.created",
    version: 1,
    timestamp: expect.any(String),
    organizationId: org.id,
    actor: { type: "user", id: await userIdOf(t, org.admin) },
    client: null,
    requestId: created.headers.get("x-request-id"),
    data: { object: created.body },
  } as never);
  expect(expectStatus(await org.admin.get(`/api/events/${event.id}`), 200).body).toEqual(event);
});

test("events of units contain the record after the change with previous values, or the deleted record", async () => {
  const org = await createOrganization(t);
  const top = await org.unit("Top");
  const id = await org.unit("Sales");
  const path = `/api/units/${id}`;
  let shown = {};
  const updated = await eventOf(org, async () => {
    shown = expectStatus(await org.admin.patch(path, { name: "Trade", parentId: top }), 200).body;
  });
  expect(updated).toMatchObject({ type: "unit.updated" });
  expect(updated.data).toEqual({ object: shown, previous: { name: "Sales", parentId: null } });
  expect(await eventsOf(t, org.admin, () => org.admin.patch(path, { name: "Trade" }))).toEqual([]);
  const deleted = await eventOf(org, async () => expectStatus(await org.admin.delete(path), 204));
  expect(deleted).toMatchObject({ type: "unit.deleted", data: { object: shown } });
});

test("changes of roles and of the organization write events", async () => {
  const org = await createOrganization(t);
  const body = { name: "Reader", permissions: ["Units.Read"] };
  let role = { id: "" };
  const created = await eventOf(org, async () => {
    role = expectStatus(await org.admin.post("/api/roles", body), 201).body;
  });
  expect(created).toMatchObject({ type: "role.created", data: { object: role } });
  const updated = await eventOf(org, () => org.admin.patch(`/api/roles/${role.id}`, { name: "Looker" }));
  expect(updated).toMatchObject({
    type: "role.updated",
    data: { object: { ...role, name: "Looker" }, previous: { name: "Reader" } },
  });
  const deleted = await eventOf(org, () => org.admin.delete(`/api/roles/${role.id}`));
  expect(deleted).toMatchObject({ type: "role.deleted", data: { object: { id: role.id, name: "Looker" } } });

  const renamed = await eventOf(org, () => org.admin.patch("/api/organization", { name: "Acme & Co" }));
  const shown = (await org.admin.get("/api/organization")).body;
  expect(renamed).toMatchObject({
    type: "organization.updated",
    data: { object: shown, previous: { name: "Acme" } },
  });
});

test("changes of an organization's status and plan by platform administrators write events", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const header = { headers: { "x-organization-id": org.id } };
  const path = `/api/organizations/${org.id}`;
  expectStatus(await admin.patch(`${path}/status`, { status: "SUSPENDED" }), 200);
  expectStatus(await admin.patch(`${path}/status`, { status: "ACTIVE" }), 200);
  await relay(t);
  const { data } = expectStatus(
    await admin.get("/api/events?type=organization.status_changed", header),
    200,
  ).body;
  expect(data.map((event: OutgoingEvent) => event.data)).toMatchObject([
    { object: { id: org.id, status: "SUSPENDED" }, previous: { status: "ACTIVE" } },
    { object: { id: org.id, status: "ACTIVE" }, previous: { status: "SUSPENDED" } },
  ]);
});

test("events of a plan and of a subscription that no longer exist contain null (rules 29.2)", async () => {
  const selling = await startServiceWithPayments();
  const org = await createOrganization(selling.t);
  const customer = await selling.customer(org);
  const subscription = await selling.subscribe(customer, "price_pro_month");
  await setPlanOverride(await selling.t.platformAdmin(), org, "gift");
  const off = await startService(
    { ...selling.t.environment, BILLING_PLANS_FILE: "none" },
    { databaseUrl: selling.t.databaseUrl },
  );
  const events = await eventsOf(selling.t, org.admin, async () => {
    selling.payments.subscriptions.length = 0;
    expectStatus(await selling.tell("customer.subscription.deleted", subscription), 200);
    const admin = off.anonymous();
    expectStatus(await admin.post("/api/auth/login", (await off.platformAdmin()).account), 200);
    await setPlanOverride(admin, org, null);
  });
  expect(events).toMatchObject([
    { type: "subscription.updated", data: { object: { status: null, plan: null } } },
    { type: "organization.plan_changed", data: { object: { key: null, source: null } } },
  ]);
});

for (const roles of [
  [{ role: "MEMBER" }],
  [{ role: "UNIT_ADMIN", unit: "" }],
  [{ role: "UNIT_ADMIN", unit: "" }, { role: "MEMBER" }],
] as RoleAssignment[][]) {
  const named = roles.map(({ role, unit }) => (unit === undefined ? role : `${role} in a unit`)).join(", ");
  test(`the events of an acceptance contain invitation and member as their routes return them: ${named}`, async () => {
    const org = await createOrganization(t);
    const unit = await org.unit("Sales");
    const placed = roles.map(({ role, unit: of }) => (of === undefined ? { role } : { role, unit }));
    const email = uniqueEmail();
    const user = await t.person({ email });
    const { id, token } = await invited(t, org.admin, { email, roles: placed });
    const invitation = (await listed(org.admin)).data.find((one) => one.id === id);
    const events = await eventsOf(t, org.admin, () => acceptAs(user, token));
    expect(events.map(({ type }) => type)).toEqual(["invitation.accepted", "member.created"]);
    const member = await org.admin.get(`/api/members/${await userIdOf(t, user)}`);
    expect(events.map(({ data }) => data.object)).toEqual([
      invitation as never,
      { ...expectStatus(member, 200).body, ...NOT_IN_EVENTS },
    ]);
  });
}

test("founding, joining, changes of roles, units and names, leaving and removal write events of members", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const { token, id, email } = await invited(t, org.admin);
  const joined = await eventsOf(t, org.admin, () => acceptNew(t, token));
  expect(joined.map(({ type }) => type)).toEqual(["invitation.accepted", "member.created"]);
  const userId = (joined[1] as OutgoingEvent).data.object.userId as string;
  expect(joined).toMatchObject([
    { actor: { type: "user", id: userId }, data: { object: { id, email } } },
    { actor: { type: "user", id: userId } },
  ]);
  const path = `/api/members/${userId}`;
  const shown = async () => ({ ...expectStatus(await org.admin.get(path), 200).body, ...NOT_IN_EVENTS });
  const before = await shown();
  expect((joined[1] as OutgoingEvent).data.object).toEqual(before);

  const roles = assignments({ role: "MEMBER" }, { role: "UNIT_ADMIN", unit });
  const changed = await eventOf(org, () => org.admin.patch(`${path}/roles`, roles));
  const after = await shown();
  expect(changed).toMatchObject({ type: "member.updated" });
  expect(changed.data).toEqual({
    object: after,
    previous: { assignments: before.assignments, units: before.units },
  });
  const removed = await eventOf(org, () => org.admin.delete(path));
  expect(removed).toMatchObject({ type: "member.deleted", data: { object: after, reason: "removed" } });

  const leaver = await org.member({ role: "MEMBER" });
  const renamed = await eventOf(org, () => leaver.patch("/api/profile", { firstName: "Grace" }));
  expect(renamed).toMatchObject({
    type: "member.updated",
    data: { object: { firstName: "Grace" }, previous: { firstName: "Ada" } },
  });
  expect(await eventsOf(t, org.admin, () => leaver.patch("/api/profile", { language: "el" }))).toEqual([]);
  const left = await eventOf(org, () => leaver.post("/api/organization/leave"));
  expect(left).toMatchObject({ type: "member.deleted", data: { reason: "left" } });

  const deleted = await org.member({ role: "MEMBER" });
  const gone = await eventOf(org, async () =>
    expectStatus(await deleted.post("/api/profile/delete", { password: "wide blue yonder" }), 204),
  );
  expect(gone).toMatchObject({ type: "member.deleted", data: { reason: "account_deleted" } });
});

test("creating, resending, superseding and revoking an invitation write events", async () => {
  const org = await createOrganization(t);
  let sent = { id: "", email: "" };
  const created = await eventOf(org, async () => {
    sent = expectStatus(await invite(org.admin), 201).body;
  });
  expect(created).toMatchObject({ type: "invitation.created" });
  expect(created.data).toEqual({ object: sent });
  await t.age("user_invitations", { id: sent.id }, { minutes: 10 });
  const resent = await eventOf(org, async () => expectStatus(await resend(org.admin, sent.id), 204));
  const row = (await org.admin.get(INVITATIONS)).body.data[0];
  expect(resent).toMatchObject({ type: "invitation.resent", data: { object: row } });
  const replaced = await eventsOf(t, org.admin, () => invite(org.admin, { email: sent.email }));
  expect(replaced).toMatchObject([
    { type: "invitation.revoked", data: { object: { id: sent.id }, reason: "superseded" } },
    { type: "invitation.created" },
  ]);
  const next = (replaced[1] as OutgoingEvent).data.object.id as string;
  const revoked = await eventOf(org, async () => expectStatus(await revoke(org.admin, next), 204));
  expect(revoked).toMatchObject({
    type: "invitation.revoked",
    data: { object: { id: next }, reason: "revoked" },
  });
});

test("events of todos contain the owner, and a change without effect writes none", async () => {
  const org = await createOrganization(t);
  let todo = { id: "" };
  const created = await eventOf(org, async () => {
    todo = expectStatus(await org.admin.post("/api/todos", { title: "Water" }), 201).body;
  });
  const owner = { userId: await userIdOf(t, org.admin), ownerEmail: org.admin.email };
  expect(created).toMatchObject({ type: "todo.created" });
  expect(created.data).toEqual({ object: { ...todo, ...owner } });
  const path = `/api/todos/${todo.id}`;
  const updated = await eventOf(org, () => org.admin.patch(path, { completed: true, title: "Water" }));
  expect(updated).toMatchObject({ type: "todo.updated", data: { previous: { completed: false } } });
  expect(updated.data.previous).toEqual({ completed: false });
  const deleted = await eventOf(org, () => org.admin.delete(path));
  expect(deleted).toMatchObject({
    type: "todo.deleted",
    data: { object: { id: todo.id, completed: true, ...owner } },
  });
});

test("events of tickets contain no message texts, and notes of platform staff write none", async () => {
  const org = await createOrganization(t);
  const admin = await t.platformAdmin();
  let ticket = { id: "" };
  const created = await eventOf(org, async () => {
    ticket = await report(org.admin);
  });
  expect(created).toMatchObject({
    type: "ticket.created",
    data: { object: { id: ticket.id, messageCount: 1 } },
  });
  expect(created.data.object).not.toHaveProperty("messages");

  const path = `${ORGANIZATION_TICKETS}/${ticket.id}`;
  const note = { message: "secret text", internal: true };
  const noted = await eventOf(org, async () =>
    expectStatus(await org.admin.post(`${path}/messages`, note), 201),
  );
  expect(noted.data).toEqual({
    object: {
      id: expect.any(String),
      ticketId: ticket.id,
      internal: true,
      asStaff: true,
      staffScope: "ORGANIZATION",
      attachmentCount: 0,
    },
  });
  const platform = `/api/helpdesk/tickets/${ticket.id}/messages`;
  expect(
    await eventsOf(t, org.admin, async () => expectStatus(await admin.post(platform, note), 201)),
  ).toEqual([]);
  const reply = await eventsOf(t, org.admin, async () =>
    expectStatus(await org.admin.post(`${path}/messages`, { message: "secret text" }), 201),
  );
  expect(reply).toMatchObject([
    { type: "ticket.message_created", data: { object: { internal: false } } },
    { type: "ticket.updated", data: { object: { status: "IN_PROGRESS" }, previous: { status: "OPEN" } } },
  ]);
  expect(JSON.stringify([noted, reply])).not.toContain("secret text");
  const closed = await eventOf(org, async () =>
    expectStatus(await org.admin.post(`/api/support/tickets/${ticket.id}/close`), 204),
  );
  expect(closed).toMatchObject({ type: "ticket.updated", data: { object: { status: "CLOSED" } } });
  const deleted = await eventOf(org, async () =>
    expectStatus(await admin.delete(`/api/helpdesk/tickets/${ticket.id}`), 204),
  );
  expect(deleted).toMatchObject({ type: "ticket.deleted", data: { object: { id: ticket.id } } });
});

test("changes of service accounts and API keys write events, which never contain a key", async () => {
  const org = await createOrganization(t);
  let id = "";
  const created = await eventOf(org, async () => {
    id = await createAccount(org, { role: "MEMBER" });
  });
  const shown = (await org.admin.get(`${ACCOUNTS}/${id}`)).body;
  expect(created).toMatchObject({ type: "service_account.created", data: { object: shown } });
  let machine = { id: "", keyId: "", key: "" };
  const keyed = await eventOf(org, async () => {
    machine = await createKey(org, id);
  });
  expect(keyed).toMatchObject({ type: "api_key.created", data: { object: { id: machine.keyId } } });
  const rotated = await eventOf(org, () => org.admin.post(`${keyPath(machine)}/rotate`, {}));
  expect(rotated).toMatchObject({
    type: "api_key.rotated",
    data: { object: { id: machine.keyId, status: "ROTATED", replacedById: expect.any(String) } },
  });
  const revoked = await eventOf(org, () => org.admin.delete(keyPath(machine)));
  expect(revoked).toMatchObject({ type: "api_key.revoked", data: { object: { status: "REVOKED" } } });
  expect(JSON.stringify([keyed, rotated, revoked])).not.toContain(machine.key);
  const changed = await eventOf(org, () =>
    org.admin.patch(`${ACCOUNTS}/${id}/roles`, assignments({ role: "ORG_ADMIN" })),
  );
  expect(changed).toMatchObject({
    type: "service_account.updated",
    data: { previous: { assignments: shown.assignments } },
  });
  const disabled = await eventOf(org, () => org.admin.patch(`${ACCOUNTS}/${id}`, { enabled: false }));
  expect(disabled.data).toMatchObject({ object: { enabled: false }, previous: { enabled: true } });
  const deleted = await eventOf(org, () => org.admin.delete(`${ACCOUNTS}/${id}`));
  expect(deleted).toMatchObject({ type: "service_account.deleted", data: { object: { id } } });
});

test("in an event, a record of more than 20 KB is replaced by its id", async () => {
  const org = await createOrganization(t);
  const units = await Promise.all(
    Array.from({ length: 250 }, (_, at) => org.unit(`${at} ${"x".repeat(90)}`)),
  );
  const member = await org.member({ role: "MEMBER" });
  const userId = await userIdOf(t, member);
  const event = await eventOf(org, () => org.link(member, ...units));
  expect(event.data).toEqual({ object: { id: userId }, truncated: true });
});
