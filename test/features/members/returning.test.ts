import { expect, test } from "bun:test";
import { allEvents, EVENTS, eventsOfRequest, traced } from "../../support/audit.ts";
import {
  bodies,
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  page,
  read,
  report,
} from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { acceptAs, invited } from "../../support/invitations.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Which units see a returning member's activity from before the removal (rules 13.12). */

const t = await sharedService();

/** Creates a member without a unit who created a todo and a ticket, was removed, and returned by an invitation to a unit. */
async function returned() {
  const org = await createOrganization(t);
  const unit = await org.unit("Athens");
  const below = await org.unit("South", unit);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const person = await org.member({ role: "MEMBER" });
  const todo = expectStatus(await person.post("/api/todos", { title: "Before" }), 201).body.id;
  const ticket = await report(person, {}, [pngWith()]);
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  await person.login();
  const { token } = await invited(t, unitAdmin, { email: person.email, roles: [{ role: "MEMBER", unit }] });
  expectStatus(await acceptAs(person, token), 204);
  await person.login();

  const paths = [
    `/api/todos/${todo}`,
    `${ORGANIZATION_TICKETS}/${ticket.id}`,
    `${ORGANIZATION_TICKETS}/${ticket.id}/messages`,
    `/api/support/attachments/${ticket.messages[0]?.attachments[0]?.id}`,
  ];
  /** Returns whether the unit administrator sees all of the earlier activity; fails if only parts are visible. */
  const isReached = async () => {
    const statuses = await Promise.all(paths.map(async (path) => (await unitAdmin.get(path)).status));
    const todos = (await unitAdmin.get("/api/todos/all")).body;
    const tickets = await page(unitAdmin, ORGANIZATION_TICKETS);
    const listed = [
      todos.data.some(({ id }: { id: string }) => id === todo),
      tickets.data.some(({ id }) => id === ticket.id),
    ];
    expect([todos.total, tickets.total]).toEqual([todos.data.length, tickets.data.length]);
    const all = [...statuses.map((status) => status === 200), ...listed];
    expect(new Set(all).size).toBe(1);
    return all[0];
  };
  const link = (who: typeof person, ...unitIds: string[]) =>
    who.patch(`/api/members/${idOf(person)}/units`, { unitIds });
  return { org, unit, below, unitAdmin, person, todo, ticket, isReached, link };
}

test("a unit that invites a former member sees their activity from then on, but not their earlier organization-wide activity", async () => {
  const { org, unitAdmin, person, todo, ticket, isReached } = await returned();
  expect(await isReached()).toBe(false);
  expectStatus(await unitAdmin.patch(`/api/todos/${todo}`, { completed: true }), 404);
  expectStatus(await unitAdmin.delete(`/api/todos/${todo}`), 404);
  expectStatus(
    await unitAdmin.post(`${ORGANIZATION_TICKETS}/${ticket.id}/messages`, { message: "Hello" }),
    404,
  );
  expectStatus(await unitAdmin.patch(`${ORGANIZATION_TICKETS}/${ticket.id}`, { status: "CLOSED" }), 404);

  const now = expectStatus(await person.post("/api/todos", { title: "Now" }), 201).body.id;
  const { id } = await report(person);
  expectStatus(await unitAdmin.get(`/api/todos/${now}`), 200);
  expectStatus(await unitAdmin.get(`${ORGANIZATION_TICKETS}/${id}`), 200);
  expect(
    (await unitAdmin.get("/api/todos/all")).body.data.map(({ title }: { title: string }) => title),
  ).toEqual(["Now"]);
  // The member and the organization's administrator see both the earlier and the new activity.
  expect((await person.get("/api/todos")).body.total).toBe(2);
  expect((await org.admin.get("/api/todos/all")).body.total).toBe(2);
  expectStatus(await person.get(`${OWN_TICKETS}/${ticket.id}`), 200);
});

test("a unit's staff are not notified of a returned member's replies to a ticket from before the return", async () => {
  const { unitAdmin, person, ticket } = await returned();
  expectStatus(await person.post(`${OWN_TICKETS}/${ticket.id}/messages`, { message: "More" }), 201);
  const types = (await unitAdmin.get("/api/notifications")).body.data.map(
    ({ type }: { type: string }) => type,
  );
  expect(types).not.toContain("HELPDESK_REPORTER_REPLIED");
});

test("earlier activity comes into a unit's reach if an organization administrator adds the member to it, not if a unit administrator does", async () => {
  const { org, unit, below, unitAdmin, isReached, link } = await returned();
  expectStatus(await link(unitAdmin, unit, below), 200);
  expect(await isReached()).toBe(false);
  const before = (await eventsIn(t, org, "MEMBER_UNITS_CHANGED")).length;
  expectStatus(await link(org.admin, unit, below), 200);
  expect(await isReached()).toBe(true);
  const events = (await eventsIn(t, org, "MEMBER_UNITS_CHANGED")).slice(before);
  expect(events.map(({ metadata }) => metadata)).toMatchObject([
    { added: [{ unitId: unit }, { unitId: below }], removed: [] },
  ]);
  expectStatus(await link(org.admin, unit, below), 200);
  expect(await eventsIn(t, org, "MEMBER_UNITS_CHANGED")).toHaveLength(before + 1);
});

test("a role in a unit that an organization administrator assigns brings earlier activity into its reach, until the member leaves again", async () => {
  const { org, below, person, isReached } = await returned();
  const roles = assignments({ role: "MEMBER", unit: below });
  expectStatus(await org.admin.patch(`/api/members/${idOf(person)}/roles`, roles), 200);
  expect(await isReached()).toBe(true);
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  expect(await isReached()).toBe(false);
});

test("a unit does not see a returned member's earlier audit events and notes until an organization administrator adds the member to it", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Athens");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const ticket = await report(await org.member({ role: "MEMBER", unit }));
  const person = await org.member({ role: "ORG_ADMIN" });
  const newUnit = (name: string) =>
    traced((options) => person.post("/api/units", { name, parentId: unit }, options));
  const early = await newUnit("South");
  const image = (await note(person, ORGANIZATION_TICKETS, ticket.id, "Before", { images: [pngWith()] }))
    .attachments[0]?.id;

  const leave = async () => expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  const comeBack = async () => {
    await person.login();
    const { token } = await invited(t, unitAdmin, { email: person.email, roles: [{ role: "MEMBER", unit }] });
    expectStatus(await acceptAs(person, token), 204);
  };
  /** Returns whether the unit administrator sees the activity on all routes; fails if only on some. */
  const sees = async (requestId: string) => {
    const shown = await read(unitAdmin, ORGANIZATION_TICKETS, ticket.id);
    expect(shown.messageCount).toBe(shown.messages.length);
    const listed = (await page(unitAdmin, ORGANIZATION_TICKETS)).data[0];
    const all = [
      (await eventsOfRequest(unitAdmin, requestId)).length === 1,
      (await allEvents(unitAdmin, `actorId=${idOf(person)}&action=UNIT_CREATED`)).length > 0,
      (await unitAdmin.get(`${EVENTS}/export?format=ndjson`)).body.includes(requestId),
      bodies(shown).includes("Before"),
      listed?.messageCount === 2,
      (await unitAdmin.get(`/api/support/attachments/${image}`)).status === 200,
    ];
    expect(new Set(all).size).toBe(1);
    return all[0];
  };

  expect(await sees(early)).toBe(false);
  await leave();
  await comeBack();
  expect(await sees(early)).toBe(false);
  expect(await allEvents(unitAdmin, "action=USER_INVITATION_ACCEPTED")).toHaveLength(1);
  // The unit administrator cannot change that by another invitation.
  await leave();
  await comeBack();
  expect(await sees(early)).toBe(false);

  expectStatus(await org.admin.patch(`/api/members/${idOf(person)}/units`, { unitIds: [unit] }), 200);
  expect(await sees(early)).toBe(true);
});

test("a unit still sees what a former member of it did there, also after the member's return", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Athens");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const person = await org.member({ role: "UNIT_ADMIN", unit });
  const ticket = await report(await org.member({ role: "MEMBER", unit }));
  const done = await traced((options) =>
    person.post("/api/units", { name: "South", parentId: unit }, options),
  );
  await note(person, ORGANIZATION_TICKETS, ticket.id, "Before");
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  await person.login();
  const { token } = await invited(t, org.admin, { email: person.email });
  expectStatus(await acceptAs(person, token), 204);
  expect(await eventsOfRequest(unitAdmin, done)).toHaveLength(1);
  expect(bodies(await read(unitAdmin, ORGANIZATION_TICKETS, ticket.id))).toContain("Before");
});
