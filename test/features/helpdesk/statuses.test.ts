import { expect, test } from "bun:test";
import { eventPage } from "../../support/audit.ts";
import {
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  read,
  setStatus,
  write,
} from "../../support/helpdesk.ts";
import { helpdeskWorld, reported } from "../../support/helpdesk-world.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
/** The users and units that the tests share, unless a test changes them. */
const d = await helpdeskWorld(t);
const { organization, unitAdmin, parentAdmin, besideAdmin } = d.views;

/** Returns the audit events about a ticket, oldest first. */
const eventsOf = (id: string) =>
  t.sql<{ action: string; actor: string; organization: string | null; metadata: Record<string, unknown> }>(
    `SELECT action, actor_id AS actor, organization_id AS organization, metadata FROM audit_events
     WHERE target_type = 'ticket' AND target_id = $1 ORDER BY id`,
    [id],
  );
const statusOf = async (id: string) => (await read(d.platform, PLATFORM_TICKETS, id)).status;
const STATUSES = ["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"];

test("the first public staff reply sets an open ticket to IN_PROGRESS, with an audit event", async () => {
  const responses = [
    { who: d.org.admin, place: ORGANIZATION_TICKETS, headers: {}, organization: d.org.id },
    { who: unitAdmin.who, place: ORGANIZATION_TICKETS, headers: {}, organization: d.org.id },
    { who: d.platform, place: PLATFORM_TICKETS, headers: {}, organization: null },
    { who: d.platform, place: ORGANIZATION_TICKETS, ...actingIn(d.org), organization: null },
  ];
  for (const { who, place, headers, organization } of responses) {
    const { id, ticket } = await reported(d);
    await note(who, place, id, "First a note", { headers });
    expect(await statusOf(id)).toBe("OPEN");
    await write(who, place, id, "A reply", { headers });
    expect(await statusOf(id)).toBe("IN_PROGRESS");
    await write(who, place, id, "Another", { headers });
    expect(await eventsOf(id)).toEqual([
      {
        action: "HELPDESK_TICKET_STATUS_CHANGED",
        actor: idOf(who),
        organization,
        metadata: { from: "OPEN", to: "IN_PROGRESS", number: ticket.number },
      },
    ]);
  }
});

test("staff replies change the status only of open tickets", async () => {
  const { id } = await reported(d);
  for (const status of ["IN_PROGRESS", "RESOLVED"]) {
    expectStatus(await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, status), 200);
    const { lastActivityAt } = await read(d.org.admin, ORGANIZATION_TICKETS, id);
    await write(d.org.admin, ORGANIZATION_TICKETS, id, "A reply");
    const after = await read(d.org.admin, ORGANIZATION_TICKETS, id);
    expect(after.status).toBe(status);
    expect(Date.parse(after.lastActivityAt)).toBeGreaterThan(Date.parse(lastActivityAt));
  }
});

test("staff can change any ticket status to any other, with one audit event per change", async () => {
  const { id, ticket } = await reported(d);
  const expected: unknown[] = [];
  let from = "OPEN";
  // This sequence contains every ordered pair of statuses.
  const walk = [
    "IN_PROGRESS",
    "OPEN",
    "RESOLVED",
    "OPEN",
    "CLOSED",
    "OPEN",
    "IN_PROGRESS",
    "RESOLVED",
    "IN_PROGRESS",
  ];
  for (const to of [...walk, "CLOSED", "IN_PROGRESS", "CLOSED", "RESOLVED", "CLOSED"]) {
    const isPlatform = expected.length % 2 === 1;
    const [who, place] = isPlatform ? [d.platform, PLATFORM_TICKETS] : [d.org.admin, ORGANIZATION_TICKETS];
    expect(expectStatus(await setStatus(who, place, id, to), 200).body).toMatchObject({ id, status: to });
    const again = expectStatus(await setStatus(who, place, id, to), 200);
    expect(again.body.status).toBe(to);
    expected.push({
      action: "HELPDESK_TICKET_STATUS_CHANGED",
      actor: idOf(who),
      organization: isPlatform ? null : d.org.id,
      metadata: { from, to, number: ticket.number },
    });
    from = to;
  }
  expect(await eventsOf(id)).toEqual(expected as never);
  const pairs = new Set(
    (expected as { metadata: { from: string; to: string } }[]).map(
      ({ metadata }) => `${metadata.from} ${metadata.to}`,
    ),
  );
  expect(pairs.size).toBe(STATUSES.length * (STATUSES.length - 1));
});

test("setting a ticket to its current status changes nothing, not even the last activity", async () => {
  const { id, ticket } = await reported(d);
  const { body } = await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, "OPEN");
  expect(body.lastActivityAt).toBe(ticket.lastActivityAt);
});

test("a reporter's message reopens a resolved ticket, and does not change any other status", async () => {
  const { id, reporter } = await reported(d);
  for (const [status, after] of [
    ["OPEN", "OPEN"],
    ["IN_PROGRESS", "IN_PROGRESS"],
    ["RESOLVED", "OPEN"],
  ] as const) {
    await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, status);
    const before = await eventsOf(id);
    await write(reporter, OWN_TICKETS, id, "One thing more");
    expect([status, await statusOf(id)]).toEqual([status, after]);
    expect(await eventsOf(id)).toEqual(before);
  }
});

test("a reporter can close a ticket once from any other status, without an audit event", async () => {
  const { id, reporter } = await reported(d);
  for (const status of STATUSES) {
    await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, status);
    const before = await eventsOf(id);
    expectStatus(await reporter.post(`${OWN_TICKETS}/${id}/close`), 204);
    const { lastActivityAt } = await read(reporter, OWN_TICKETS, id);
    expectStatus(await reporter.post(`${OWN_TICKETS}/${id}/close`), 204);
    expect(await read(reporter, OWN_TICKETS, id)).toMatchObject({ status: "CLOSED", lastActivityAt });
    expect(await eventsOf(id)).toEqual(before);
  }
});

test("a closed ticket accepts no messages until staff reopen it", async () => {
  const { id, reporter } = await reported(d);
  expectStatus(await reporter.post(`${OWN_TICKETS}/${id}/close`), 204);
  const message = { message: "Hello" };
  const internal = { ...message, internal: true };
  for (const [who, place, body] of [
    [reporter, OWN_TICKETS, message],
    [d.org.admin, ORGANIZATION_TICKETS, message],
    [d.org.admin, ORGANIZATION_TICKETS, internal],
    [d.platform, PLATFORM_TICKETS, message],
    [d.platform, PLATFORM_TICKETS, internal],
  ] as const)
    expect(outcome(await who.post(`${place}/${id}/messages`, body))).toBe("409 TICKET_CLOSED");
  expectStatus(await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, "OPEN"), 200);
  await write(reporter, OWN_TICKETS, id, "Hello");
});

test("a ticket change with an unknown status or other fields is refused", async () => {
  const { id } = await reported(d);
  for (const [who, place] of [
    [d.org.admin, ORGANIZATION_TICKETS],
    [d.platform, PLATFORM_TICKETS],
  ] as const) {
    expect(messages(await who.patch(`${place}/${id}`, { status: "open" }))).toEqual([
      "status must be one of the following values: OPEN, IN_PROGRESS, RESOLVED, CLOSED",
    ]);
    expect(messages(await who.patch(`${place}/${id}`, { status: "OPEN", subject: "x" }))).toEqual([
      "property subject should not exist",
    ]);
  }
});

test("an organization's auditors see its staff's ticket events by unit; events of platform staff are visible only to the platform", async () => {
  const { id, reporter } = await reported(d);
  const byUnit = { who: unitAdmin.who, place: ORGANIZATION_TICKETS };
  const reads = async (who: typeof reporter) =>
    (await eventPage(who, `targetId=${id}`)).data.map(({ metadata }) => metadata.to);
  expectStatus(await setStatus(byUnit.who, ORGANIZATION_TICKETS, id, "IN_PROGRESS"), 200);
  expectStatus(await setStatus(organization.who, ORGANIZATION_TICKETS, id, "RESOLVED"), 200);
  expectStatus(await setStatus(parentAdmin.who, ORGANIZATION_TICKETS, id, "OPEN"), 200);
  expectStatus(await setStatus(d.platform, PLATFORM_TICKETS, id, "CLOSED"), 200);
  expect(await reads(organization.who)).toEqual(["OPEN", "RESOLVED", "IN_PROGRESS"]);
  // Unit auditors see events whose actor and reporter are both in their subtree.
  expect(await reads(parentAdmin.who)).toEqual(["OPEN", "IN_PROGRESS"]);
  expect(await reads(unitAdmin.who)).toEqual(["IN_PROGRESS"]);
  expect(await reads(besideAdmin.who)).toEqual([]);
  const all = await eventPage(d.platform, `targetId=${id}`, { path: "/api/audit-events" });
  expect(all.data.map(({ metadata, organizationId }) => [metadata.to, organizationId])).toEqual([
    ["CLOSED", null],
    ["OPEN", d.org.id],
    ["RESOLVED", d.org.id],
    ["IN_PROGRESS", d.org.id],
  ]);
  // A member of the unit acts on a ticket of a reporter outside it: the unit's other auditors do not see the event.
  const outside = await d.org.member();
  const { id: other } = (await outside.post(OWN_TICKETS, { subject: "Other", category: "BUG", message: "x" }))
    .body;
  const both = await d.org.member({ role: "ORG_ADMIN" }, { role: "MEMBER", unit: d.unit });
  expectStatus(await setStatus(both, ORGANIZATION_TICKETS, other, "CLOSED"), 200);
  expect((await eventPage(unitAdmin.who, `targetId=${other}`)).total).toBe(0);
  expect((await eventPage(organization.who, `targetId=${other}`)).total).toBe(1);
});

test("deleting a ticket writes a platform audit event with the ticket's number", async () => {
  const { id, ticket } = await reported(d);
  expectStatus(await d.platform.delete(`${PLATFORM_TICKETS}/${id}`), 204);
  expect(await eventsOf(id)).toEqual([
    {
      action: "HELPDESK_TICKET_DELETED",
      actor: idOf(d.platform),
      organization: null,
      metadata: expect.objectContaining({ number: ticket.number }),
    },
  ]);
});

test("a ticket lists its changes of status for everybody who may read it, with their actors (rules 31.8)", async () => {
  const { id, reporter } = await reported(d);
  expectStatus(await setStatus(unitAdmin.who, ORGANIZATION_TICKETS, id, "IN_PROGRESS"), 200);
  expectStatus(await setStatus(unitAdmin.who, ORGANIZATION_TICKETS, id, "IN_PROGRESS"), 200);
  expectStatus(await setStatus(d.platform, PLATFORM_TICKETS, id, "RESOLVED"), 200);
  expectStatus(await reporter.post(`${OWN_TICKETS}/${id}/messages`, { message: "Still broken." }), 201);
  expectStatus(await reporter.post(`${OWN_TICKETS}/${id}/close`), 204);
  const expected = [
    ["OPEN", "IN_PROGRESS", idOf(unitAdmin.who), "organization"],
    ["IN_PROGRESS", "RESOLVED", idOf(d.platform), "platform"],
    ["RESOLVED", "OPEN", idOf(reporter), null],
    ["OPEN", "CLOSED", idOf(reporter), null],
  ];
  for (const [who, place] of [
    [reporter, OWN_TICKETS],
    [unitAdmin.who, ORGANIZATION_TICKETS],
    [d.platform, PLATFORM_TICKETS],
  ] as const) {
    const { events } = expectStatus(await who.get(`${place}/${id}`), 200).body;
    expect(events).toEqual(
      expected.map(([from, to, actor, staffKind]) =>
        expect.objectContaining({
          type: "STATUS_CHANGED",
          from,
          to,
          actor: expect.objectContaining({ id: actor, staffKind }),
        }),
      ),
    );
  }
});
