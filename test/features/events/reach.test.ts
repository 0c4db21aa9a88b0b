import { expect, test } from "bun:test";
import { ORGANIZATION_TICKETS, OWN_TICKETS, reportBody } from "../../support/helpdesk.ts";
import { invite } from "../../support/invitations.ts";
import { createAccount } from "../../support/machines.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { eventsAfter, eventsOf, NOT_IN_EVENTS } from "../../support/outgoing-events.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

/** Creates an organization with the units A and B, a sub-unit of A, and an administrator of each of the two units. */
async function branches() {
  const org = await createOrganization(t);
  const [a, b] = [await org.unit("A"), await org.unit("B")];
  const below = await org.unit("Below A", a);
  const adminOfA = await org.member({ role: "UNIT_ADMIN", unit: a });
  const adminOfB = await org.member({ role: "UNIT_ADMIN", unit: b });
  return { org, a, b, below, adminOfA, adminOfB };
}

test("a unit administrator sees only events of records and members of the unit and its sub-units", async () => {
  const { org, a, b, below, adminOfA, adminOfB } = await branches();
  const person = await org.member({ role: "MEMBER" });
  const work = async () => {
    await org.link(person, below);
    expectStatus(await person.post("/api/todos", { title: "of A" }), 201);
    expectStatus(await org.admin.post("/api/todos", { title: "of nobody" }), 201);
    expectStatus(await org.admin.post("/api/units", { name: "new", parentId: b }), 201);
    expectStatus(await org.admin.patch("/api/organization", { name: "Other" }), 200);
    expectStatus(await org.admin.post("/api/roles", { name: "R", permissions: [] }), 201);
    expectStatus(await invite(org.admin, { roles: [{ role: "MEMBER", unit: a }] }), 201);
    expectStatus(
      await invite(org.admin, {
        roles: [
          { role: "MEMBER", unit: a },
          { role: "MEMBER", unit: b },
        ],
      }),
      201,
    );
    expectStatus(await invite(org.admin), 201);
    await createAccount(org, { role: "MEMBER", unit: below });
    await createAccount(org, { role: "MEMBER" });
  };
  const ofA = await eventsOf(t, adminOfA, work);
  expect(ofA.map(({ type }) => type)).toEqual([
    "member.updated",
    "todo.created",
    "invitation.created",
    "service_account.created",
  ]);
  const ofB = await eventsAfter(t, adminOfB);
  expect(ofB.events.map(({ type }) => type)).toEqual(["unit.created"]);
  expectStatus(await adminOfB.get(`/api/events/${ofA[0]?.id}`), 404);
});

test("for a unit administrator, events omit roles and units elsewhere, and an actor outside the unit is null", async () => {
  const { org, a, b, adminOfA } = await branches();
  const person = await org.member({ role: "MEMBER" }, { role: "MEMBER", unit: b });
  const [event] = await eventsOf(t, adminOfA, () => org.link(person, a));
  expect(event).toMatchObject({ type: "member.updated", actor: null });
  expect(event?.data.object).toMatchObject({ assignments: [], units: [{ id: a }] });
  expect(event?.data.previous).toEqual({ units: [] });
  const [whole] = await eventsAfter(t, org.admin).then(({ events }) => events.slice(-1));
  expect(whole?.actor).not.toBeNull();
  const shown = await adminOfA.get(`/api/members/${await userIdOf(t, person)}`);
  expect(event?.data.object).toEqual({ ...shown.body, ...NOT_IN_EVENTS });
});

test("an event is visible in the units that the record had before or after the change, not in its current ones", async () => {
  const { org, a, b, below, adminOfA, adminOfB } = await branches();
  const person = await org.member({ role: "MEMBER" });
  const id = await userIdOf(t, person);
  await org.link(person, a);
  const moved = await eventsOf(t, adminOfA, async () => {
    expectStatus(await org.admin.patch(`/api/members/${id}/units`, { unitIds: [b] }), 200);
    expectStatus(await person.post("/api/todos", { title: "of B" }), 201);
    expectStatus(await org.admin.patch(`/api/units/${below}`, { parentId: b }), 200);
    expectStatus(await org.admin.patch(`/api/units/${below}`, { name: "of B" }), 200);
  });
  expect(moved.map(({ type }) => type)).toEqual(["member.updated", "unit.updated"]);
  const ofB = (await eventsAfter(t, adminOfB)).events.map(({ type }) => type);
  expect(ofB).toEqual(["member.updated", "todo.created", "unit.updated", "unit.updated"]);
});

test("an event is visible only if both `Events.Read` and the read permission of its type cover the record", async () => {
  const { org, a, b } = await branches();
  const events = await org.role("Events", "Events.Read");
  const units = await org.role("Units", "Units.Read");
  const apart = await org.member({ role: events, unit: a }, { role: units, unit: b });
  const wide = await org.member({ role: events }, { role: units, unit: b });
  await eventsOf(t, org.admin, async () => {
    for (const parentId of [a, b, null])
      expectStatus(await org.admin.post("/api/units", { name: `in ${parentId}`, parentId }), 201);
    expectStatus(await org.admin.post("/api/todos", { title: "no permission" }), 201);
  });
  expect((await eventsAfter(t, apart)).events).toEqual([]);
  const { events: read } = await eventsAfter(t, wide);
  expect(read.map(({ data }) => data.object.parentId)).toEqual([b]);
});

test("a unit administrator does not see events of a returned member from before they left", async () => {
  const { org, a, adminOfA } = await branches();
  const person = await org.member({ role: "MEMBER" });
  const id = await userIdOf(t, person);
  const { id: todo } = expectStatus(await person.post("/api/todos", { title: "before" }), 201).body;
  const { body: ticket } = expectStatus(await person.post(OWN_TICKETS, reportBody()), 201);
  expectStatus(await org.admin.delete(`/api/members/${id}`), 204);
  await t.sql("UPDATE memberships SET is_deleted = false, deleted_at = NULL WHERE user_id = $1", [id]);
  await org.link(person, a);
  await t.sql("UPDATE memberships SET reached_from = now() WHERE user_id = $1", [id]);
  const events = await eventsOf(t, adminOfA, async () => {
    expectStatus(await org.admin.patch(`/api/todos/${todo}`, { completed: true }), 200);
    expectStatus(
      await org.admin.post(`${ORGANIZATION_TICKETS}/${ticket.id}/messages`, { message: "response" }),
      201,
    );
  });
  expect(events).toEqual([]);
});

test("events of another organization are not visible", async () => {
  const { org } = await branches();
  const other = await createOrganization(t);
  const [event] = await eventsOf(t, org.admin, () => org.admin.post("/api/todos", { title: "a" }));
  expectStatus(await other.admin.get(`/api/events/${event?.id}`), 404);
  expect(
    (await eventsAfter(t, other.admin)).events.every(({ organizationId }) => organizationId === other.id),
  ).toBe(true);
});
