import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  helpdeskNotifications,
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  report,
  reportBody,
  setStatus,
  write,
} from "../../support/helpdesk.ts";
import { helpdeskWorld, reported } from "../../support/helpdesk-world.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const d = await helpdeskWorld(t);
const { organization, unitAdmin, parentAdmin, besideAdmin, member, stranger } = d.views;
const everybody = { organization, unitAdmin, parentAdmin, besideAdmin, member, stranger };

/** Returns a user's notifications about a ticket, without the common fields. */
const toldOf = async (who: Caller, ticketId: string) =>
  (await helpdeskNotifications(t, idOf(who))).filter(({ data }) => data.ticketId === ticketId);
const typesOf = async (who: Caller, ticketId: string) =>
  (await toldOf(who, ticketId)).map(({ type }) => type);
const CREATED = "HELPDESK_TICKET_CREATED";
const REPLIED = "HELPDESK_REPORTER_REPLIED";

test("a new ticket notifies platform administrators and the staff whose reach includes its reporter", async () => {
  const { id, ticket, reporter } = await reported(d);
  const data = { ticketId: id, number: ticket.number, subject: ticket.subject, category: "BUG" };
  const withOrganization = { ...data, organizationId: d.org.id };
  expect(await toldOf(d.platform, id)).toEqual([{ type: CREATED, data }]);
  for (const name of ["organization", "unitAdmin", "parentAdmin"] as const)
    expect([name, await toldOf(everybody[name].who, id)]).toEqual([
      name,
      [{ type: CREATED, data: withOrganization }],
    ]);
  for (const name of ["besideAdmin", "member", "stranger"] as const)
    expect([name, await toldOf(everybody[name].who, id)]).toEqual([name, []]);
  expect(await toldOf(reporter, id)).toEqual([]);
});

test("a ticket without an organization notifies only platform administrators", async () => {
  const alone = await t.person();
  const { id } = await report(alone);
  expect(await typesOf(d.platform, id)).toEqual([CREATED]);
  for (const { who } of Object.values(everybody)) expect(await typesOf(who, id)).toEqual([]);
});

test("staff who create a ticket are not notified of it, but their colleagues are", async () => {
  const admin = await t.platformAdmin();
  const { id } = await report(admin);
  expect([await typesOf(admin, id), await typesOf(d.platform, id)]).toEqual([[], [CREATED]]);
  const colleague = await d.org.member({ role: "ORG_ADMIN" });
  const own = await report(colleague);
  expect([await typesOf(colleague, own.id), await typesOf(d.org.admin, own.id)]).toEqual([[], [CREATED]]);
  await write(colleague, ORGANIZATION_TICKETS, own.id, "To myself");
  await setStatus(colleague, ORGANIZATION_TICKETS, own.id, "RESOLVED");
  await write(colleague, OWN_TICKETS, own.id, "And back");
  expect(await typesOf(colleague, own.id)).toEqual([]);
  expect((await t.mailTo(colleague.email)).filter(({ subject }) => subject.includes("#"))).toEqual([]);
});

test("a platform administrator who is also a member is notified once, as a platform administrator", async () => {
  const both = await t.platformAdmin();
  await d.org.add(both, { role: "ORG_ADMIN" });
  const { id } = await reported(d);
  expect(await toldOf(both, id)).toMatchObject([{ type: CREATED }]);
  expect((await toldOf(both, id))[0]?.data).not.toHaveProperty("organizationId");
});

test("a reporter's message notifies all staff if none of them has written in the ticket", async () => {
  const { id, ticket, reporter } = await reported(d);
  await write(reporter, OWN_TICKETS, id, "Anybody?");
  const data = { ticketId: id, number: ticket.number, subject: ticket.subject };
  expect((await toldOf(d.platform, id))[1]).toEqual({ type: REPLIED, data });
  expect((await toldOf(unitAdmin.who, id))[1]).toEqual({
    type: REPLIED,
    data: { ...data, organizationId: d.org.id },
  });
  for (const name of ["besideAdmin", "member", "stranger"] as const)
    expect(await toldOf(everybody[name].who, id)).toEqual([]);
});

test("a reporter's message notifies only the staff who have written a reply or a note in the ticket", async () => {
  const { id, reporter } = await reported(d);
  await write(unitAdmin.who, ORGANIZATION_TICKETS, id, "A reply");
  await note(d.platform, PLATFORM_TICKETS, id, "A note");
  await write(reporter, OWN_TICKETS, id, "Thank you");
  const heard = async (who: Caller) => (await typesOf(who, id)).filter((type) => type === REPLIED).length;
  expect(await heard(unitAdmin.who)).toBe(1);
  expect(await heard(d.platform)).toBe(1);
  expect(await heard(d.org.admin)).toBe(0);
  expect(await heard(parentAdmin.who)).toBe(0);
});

test("staff who wrote in a ticket but can no longer see it are not notified; if none of them can, all staff are", async () => {
  const { id, reporter } = await reported(d);
  const helper = await d.org.member({ role: "UNIT_ADMIN", unit: d.unit });
  await write(helper, ORGANIZATION_TICKETS, id, "A reply");
  expectStatus(await d.org.admin.delete(`/api/members/${idOf(helper)}`), 204);
  await write(reporter, OWN_TICKETS, id, "Thank you");
  const heard = async (who: Caller) => (await typesOf(who, id)).filter((type) => type === REPLIED).length;
  expect(await heard(helper)).toBe(0);
  for (const who of [d.org.admin, unitAdmin.who, d.platform]) expect(await heard(who)).toBe(1);
});

test("a public reply and a change of status notify the reporter, with a mail in their language", async () => {
  const reporter = await t.person({ language: "el" });
  await d.org.add(reporter, { role: "MEMBER", unit: d.unit });
  await reporter.refresh();
  const secret = "The body of the response";
  const ticket = await report(reporter, { subject: 'Το <b>"αρχείο"</b> χάθηκε' });
  const { id, number, subject } = ticket;
  await write(d.org.admin, ORGANIZATION_TICKETS, id, secret);
  await setStatus(d.platform, PLATFORM_TICKETS, id, "RESOLVED");
  await note(d.org.admin, ORGANIZATION_TICKETS, id, secret);
  const about = { ticketId: id, number, subject };
  expect(await toldOf(reporter, id)).toEqual([
    { type: "HELPDESK_STAFF_REPLIED", data: about },
    { type: "HELPDESK_STATUS_CHANGED", data: { ...about, status: "RESOLVED" } },
  ]);
  const mails = (await t.mailTo(reporter.email)).filter((mail) => mail.subject.includes(`#${number}`));
  expect(mails).toHaveLength(2);
  for (const mail of mails) {
    expect(mail.links).toEqual([`http://app.test/support/tickets/${id}`]);
    expect(mail.text).toContain(`#${number}`);
    expect(mail.text).toContain(subject);
    expect(mail.text).toMatch(/[α-ω]{4}/);
    expect(mail.html).not.toContain("<b>");
    expect(JSON.stringify(mail)).not.toContain(secret);
    expect(JSON.stringify(mail)).not.toContain("Since this morning");
  }
});

test("helpdesk mails are in English for English speakers", async () => {
  const { id, ticket, reporter } = await reported(d);
  await write(d.org.admin, ORGANIZATION_TICKETS, id, "A secret");
  await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, "CLOSED");
  const mails = (await t.mailTo(reporter.email)).filter(({ subject }) => subject.includes("#"));
  expect(mails.map(({ subject }) => subject)).toEqual([
    `New reply to your report #${ticket.number}`,
    `Your report #${ticket.number} is closed`,
  ]);
});

test("a status change by a reply, a reopening and a reporter's close send no separate notification", async () => {
  const { id, reporter } = await reported(d);
  await write(d.org.admin, ORGANIZATION_TICKETS, id, "Taken up");
  await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, "RESOLVED");
  await write(reporter, OWN_TICKETS, id, "Opened again");
  await reporter.post(`${OWN_TICKETS}/${id}/close`);
  expect(await typesOf(reporter, id)).toEqual(["HELPDESK_STAFF_REPLIED", "HELPDESK_STATUS_CHANGED"]);
  expect(await typesOf(d.org.admin, id)).toEqual([CREATED, REPLIED]);
  expect(await typesOf(d.platform, id)).toEqual([CREATED]);
  await setStatus(d.org.admin, ORGANIZATION_TICKETS, id, "CLOSED");
  expect(await typesOf(reporter, id)).toHaveLength(2);
});

test("a platform administrator's replies in an organization's queue notify like any other", async () => {
  const { id, reporter } = await reported(d);
  const { headers } = actingIn(d.org);
  await write(d.platform, ORGANIZATION_TICKETS, id, "Hello", { headers });
  expect(await typesOf(reporter, id)).toEqual(["HELPDESK_STAFF_REPLIED"]);
  expect((await toldOf(reporter, id))[0]?.data).not.toHaveProperty("organizationId");
});

test("if more than a hundred staff could be notified, only the hundred oldest accounts are", async () => {
  const org = await createOrganization(t, "Crowd");
  await t.sql(
    `WITH people AS (
       INSERT INTO users (email, first_name, last_name, language, email_verified_at, created_at)
       SELECT 'staff-' || n || '@crowd.test', 'Ada', 'Lovelace', 'EN', now(), '2020-01-01'::timestamptz + n * interval '1 day'
       FROM generate_series(1, 110) n RETURNING id
     ), joined AS (
       INSERT INTO memberships (organization_id, user_id) SELECT $1, id FROM people RETURNING id
     )
     INSERT INTO membership_assignments (membership_id, role_id)
     SELECT joined.id, r.id FROM joined, roles r WHERE r.name = 'ORG_ADMIN' AND r.organization_id IS NULL`,
    [org.id],
  );
  const reporter = await org.member();
  const { body } = expectStatus(await reporter.post(OWN_TICKETS, reportBody()), 201);
  const heard = await t.sql<{ email: string }>(
    "SELECT u.email FROM notifications n JOIN users u ON u.id = n.user_id WHERE n.data->>'ticketId' = $1 ORDER BY u.created_at",
    [body.id],
  );
  expect(heard.map(({ email }) => email)).toEqual(
    Array.from({ length: 100 }, (_, index) => `staff-${index + 1}@crowd.test`),
  );
});

test("a notified user finds the notification unread in their list", async () => {
  const { id } = await reported(d);
  const { data } = (await d.org.admin.get("/api/notifications?pageSize=1")).body;
  expect(data).toMatchObject([{ type: CREATED, readAt: null, data: { ticketId: id } }]);
});
