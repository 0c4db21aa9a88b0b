import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { ORGANIZATION_TICKETS, report, write } from "../../support/helpdesk.ts";
import { invited, resend } from "../../support/invitations.ts";
import { ACCOUNTS, createMachine } from "../../support/machines.ts";
import { assignments, createOrganization, userIdOf } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import {
  counted,
  dayIn,
  freshOverview,
  HELPDESK_OVERVIEW,
  OVERVIEW,
  overviewByLists,
} from "../../support/overview.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

/** Creates an organization with members, todos, tickets and invitations in several units, created on several days. */
async function livedIn() {
  const org = await createOrganization(t);
  const parent = await org.unit("Parent");
  const unit = await org.unit("Unit", parent);
  const sibling = await org.unit("Sibling");
  const places = [parent, unit, sibling, null];
  const people: { who: Caller; id: string }[] = [];
  for (const [index, place] of places.entries()) {
    const who = await org.member({ role: "MEMBER", ...(place && { unit: place }) });
    people.push({ who, id: await userIdOf(t, who) });
    await t.age("memberships", { user_id: people[index]?.id ?? "" }, { days: index * 5 });
  }
  const failedSignIns: Record<string, Date[]> = {};
  for (const [index, { who, id }] of people.entries()) {
    for (let number = 0; number <= index + 1; number += 1) {
      const todo = expectStatus(await who.post("/api/todos", { title: `Todo ${number}` }), 201).body.id;
      await t.age("todos", { id: todo }, { hours: number * 13 });
      if (number % 2 === 0) expectStatus(await who.patch(`/api/todos/${todo}`, { completed: true }), 200);
    }
    for (let number = 0; number < 3; number += 1) {
      const ticket = (await report(who)).id;
      if (number > 0) await write(org.admin, ORGANIZATION_TICKETS, ticket, "We are on it.");
      const hours = { hours: 7 + number * 30 + index };
      await t.age("tickets", { id: ticket }, hours);
      await t.sql(
        "UPDATE ticket_messages SET created_at = created_at - make_interval(hours => $2) WHERE ticket_id = $1 AND NOT as_staff",
        [ticket, hours.hours],
      );
      if (number === 2)
        expectStatus(await org.admin.patch(`${ORGANIZATION_TICKETS}/${ticket}`, { status: "RESOLVED" }), 200);
    }
    failedSignIns[id] = [];
    for (let number = 0; number < index; number += 1) {
      expectStatus(await who.login("not the password"), 401);
      failedSignIns[id]?.push(new Date());
    }
  }
  await t.sql("UPDATE users SET two_factor_enabled_at = now() WHERE id = $1", [people[1]?.id]);
  for (const [index, place] of places.entries()) {
    const body = { email: uniqueEmail(), ...assignments({ role: "MEMBER", unit: place }) };
    const { id } = expectStatus(await org.admin.post("/api/members/invitations", body), 201).body;
    if (index < 3)
      await t.sql("UPDATE user_invitations SET expires_at = now() + interval '1 day' WHERE id = $1", [id]);
  }
  const roles = {
    members: await org.role("Members", "Organization.Read", "Members.Read", "Units.Read"),
    desk: await org.role("Desk", "Organization.Read", "Helpdesk.Read", "Helpdesk.ReadOne"),
    managers: await org.role("Managers", "Members.Delete"),
  };
  return { org, parent, unit, sibling, roles, failedSignIns };
}

const world = await livedIn();

/** Expects that the figures of an overview equal those computed from the same caller's lists. */
async function expectAgreement(
  caller: Caller,
  {
    headers = {},
    unit = [],
    timeZone = "UTC",
  }: { headers?: Record<string, string>; unit?: string[]; timeZone?: string } = {},
) {
  const sent = { headers: unit.length === 0 ? headers : { ...headers, "x-filter-unit": unit.join() } };
  const { body } = expectStatus(await caller.get(`${OVERVIEW}?timeZone=${timeZone}`, sent), 200);
  const days = Array.from({ length: 30 }, (_, ago) =>
    new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short" }).format(Date.now() - ago * 24 * 3_600_000),
  ).reverse();
  const { failedSignIns } = world;
  const expected = await overviewByLists(caller, { timeZone, days, headers, unit, failedSignIns });
  for (const part of [body.members, body.todos, body.tickets, body.signIns])
    for (const series of Object.values(part ?? {}).filter(Array.isArray))
      expect(series.map(({ day }: { day: string }) => day)).toEqual(days);
  const { members, todos, tickets, signIns, needsAttention } = body;
  expect({
    members: members && {
      total: members.total,
      joined: counted(members.joined),
      lastActive: members.active?.at(-1).count ?? null,
    },
    signIns: signIns && counted(signIns.failed),
    membersWithoutSecondFactor: needsAttention.membersWithoutSecondFactor,
    todos: todos && { ...todos, created: counted(todos.created), completed: counted(todos.completed) },
    tickets: tickets && {
      open: tickets.open,
      opened: counted(tickets.opened),
      resolved: counted(tickets.resolved),
      medianFirstReplySeconds: tickets.medianFirstReplySeconds,
    },
    waitingTickets: needsAttention.waitingTickets,
    expiringInvitations: needsAttention.expiringInvitations,
    byUnit:
      body.byUnit &&
      Object.fromEntries(
        body.byUnit.map((row: { unit: { id: string }; depth: number; members: number }) => [
          row.unit.id,
          [row.depth, row.members],
        ]),
      ),
    activity: body.activity,
  }).toEqual({
    ...expected,
    members: expected.members && {
      ...expected.members,
      lastActive: expected.members.lastActive?.filter((day) => day === days.at(-1)).length ?? null,
    },
  } as never);
  return body;
}

const cleanUp = async () => {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('sessions.clean-up')");
  await t.drain();
};
const DAY_MS = 24 * 3_600_000;

test("every figure of an overview equals the number of matching rows in the caller's lists (rules 31.1)", async () => {
  const { org, parent, unit, sibling, roles } = world;
  const admin = await t.platformAdmin();
  await expectAgreement(org.admin);
  await expectAgreement(org.admin, { unit: [parent] });
  await expectAgreement(org.admin, { unit: [unit, sibling] });
  await expectAgreement(admin, { headers: { "x-organization-id": org.id } });
  await expectAgreement(await org.member({ role: "UNIT_ADMIN", unit: parent }));
  await expectAgreement(await org.member({ role: "UNIT_ADMIN", unit }), { unit: [parent] });
  await expectAgreement(
    await org.member({ role: "UNIT_ADMIN", unit }, { role: "UNIT_ADMIN", unit: sibling }),
  );
  await expectAgreement(await org.member({ role: "MEMBER" }));
  await expectAgreement(await org.member({ role: roles.members }));
  await expectAgreement(await org.member({ role: roles.members }, { role: roles.managers, unit: parent }));
  await expectAgreement(
    await org.member({ role: roles.members, unit: parent }, { role: roles.managers, unit }),
  );
  await expectAgreement(await org.member({ role: roles.desk, unit: parent }));
});

test("the days of an overview begin in the requested time zone, and the last one is today (rules 31.2)", async () => {
  const { org } = world;
  for (const timeZone of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Athens"]) {
    const body = await expectAgreementOfTimes(org.admin, timeZone);
    expect(body.todos.created.at(-1).day).toBe(dayIn(timeZone, new Date()));
  }
  for (const timeZone of ["Mars/Olympus", "+02:00", "EST5EDT4", "'; --", ""])
    expectStatus(await org.admin.get(`${OVERVIEW}?timeZone=${encodeURIComponent(timeZone)}`), 400);
  expectStatus(await org.admin.get(`${OVERVIEW}?days=8`), 400);
});

async function expectAgreementOfTimes(caller: Caller, timeZone: string) {
  const { body } = expectStatus(await caller.get(`${OVERVIEW}?days=7&timeZone=${timeZone}`), 200);
  const { data } = expectStatus(await caller.get("/api/todos/all?pageSize=100"), 200).body;
  const expected: Record<string, number> = {};
  for (const { createdAt } of data) {
    const day = dayIn(timeZone, createdAt);
    expected[day] = (expected[day] ?? 0) + 1;
  }
  expect(body.todos.created).toHaveLength(7);
  for (const { day, count } of body.todos.created) expect(count).toBe(expected[day] ?? 0);
  return body;
}

test("an overview is cached for a minute, separately for each caller, query and filter (rules 31.5)", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const first = expectStatus(await org.admin.get(OVERVIEW), 200);
  expect(first.headers.get("cache-control")).toBe("private, max-age=60");
  expect(first.headers.get("vary")).toContain("Authorization");
  await org.member({ role: "MEMBER" });
  expect((await org.admin.get(OVERVIEW)).body).toEqual(first.body);
  expect((await org.admin.get(`${OVERVIEW}?days=7`)).body.members.total).toBe(3);
  expect((await unitAdmin.get(OVERVIEW)).body.members.total).toBe(1);
  const inUnit = await org.admin.get(OVERVIEW, { headers: { "x-filter-unit": unit } });
  expect(inUnit.body.members.total).toBe(1);
});

test("an overview ignores `X-Filter-Member` (rules 3.10)", async () => {
  const { admin } = await createOrganization(t);
  expectStatus(await admin.post("/api/todos", { title: "Open" }), 201);
  const headers = { "x-filter-member": crypto.randomUUID() };
  expect((await admin.get(OVERVIEW, { headers })).body.todos.open).toBe(1);
});

test("an invitation counts as a seat only on the days on which it could be accepted (rules 31.4)", async () => {
  const org = await createOrganization(t);
  await t.age("memberships", { user_id: idOf(org.admin) }, { days: 80 });
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  const ids: string[] = [];
  for (const caller of [org.admin, machine.caller]) ids.push((await invited(t, caller)).id);
  const [lapsed, disabled] = ids;
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000);
  const overview = freshOverview(org.admin);
  const seats = async (...ago: number[]) => {
    const { plan } = await overview();
    const { series } = plan.limits.find(({ limit }: { limit: string }) => limit === "members");
    return ago.map((days) => series.at(-1 - days).count);
  };
  const set = "UPDATE user_invitations SET created_at = $2, last_sent_at = $2, expires_at = $3 WHERE id = $1";
  await t.sql(set, [lapsed, daysAgo(25), daysAgo(18)]);
  await t.sql(set, [disabled, daysAgo(5), daysAgo(-2)]);
  expect(await seats(28, 22, 15, 10, 3, 0)).toEqual([1, 2, 1, 1, 2, 2]);

  expectStatus(await resend(org.admin, lapsed ?? ""), 204);
  expect(await seats(28, 22, 15, 10, 3, 0)).toEqual([1, 2, 1, 1, 2, 3]);
  // As if it had been resent 12 days ago, and a second time now.
  await t.sql(
    "UPDATE user_invitations SET last_sent_at = $2, expires_at = $3, without_seat = tstzmultirange(tstzrange($4, $2)) WHERE id = $1",
    [lapsed, daysAgo(12), daysAgo(5), daysAgo(18)],
  );
  expectStatus(await resend(org.admin, lapsed ?? ""), 204);
  expect(await seats(28, 22, 15, 10, 3, 0)).toEqual([1, 2, 1, 2, 2, 3]);

  const path = `${ACCOUNTS}/${machine.id}`;
  expectStatus(await org.admin.patch(path, { enabled: false }), 200);
  expect(await seats(28, 22, 15, 10, 3, 0)).toEqual([1, 2, 1, 2, 2, 2]);
  expectStatus(await org.admin.patch(path, { enabled: true }), 200);
  expect(await seats(28, 22, 15, 10, 3, 0)).toEqual([1, 2, 1, 2, 2, 3]);
});

test("an overview computes the usage of plan limits on earlier days from today's usage (rules 31.4)", async () => {
  const org = await createOrganization(t);
  for (const ago of [1, 2, 20, 40]) {
    const { id } = expectStatus(await org.admin.post("/api/todos", { title: "Old" }), 201).body;
    await t.age("todos", { id }, { days: ago });
  }
  const { id } = expectStatus(await org.admin.post("/api/todos", { title: "Deleted" }), 201).body;
  await t.age("todos", { id }, { days: 10 });
  expectStatus(await org.admin.delete(`/api/todos/${id}`), 204);
  const { plan } = expectStatus(await org.admin.get(`${OVERVIEW}?days=30`), 200).body;
  const todos = plan.limits.find(({ limit }: { limit: string }) => limit === "todos");
  const at = (ago: number) => todos.series.at(-1 - ago).count;
  expect([at(0), at(1), at(2), at(3), at(10), at(11), at(20), at(21)]).toEqual([4, 5, 4, 3, 3, 2, 2, 1]);
  expect(todos.used).toBe(4);
  const billing = expectStatus(await org.admin.get("/api/organization/billing"), 200).body;
  for (const { limit, used, max } of plan.limits)
    expect(billing.limits).toContainEqual(expect.objectContaining({ name: limit, used, limit: max }));
});

test("the figures of the helpdesk overview count the tickets in the caller's reach (rules 31.3)", async () => {
  const { org, unit } = world;
  for (const caller of [org.admin, await org.member({ role: "UNIT_ADMIN", unit })]) {
    const { body } = expectStatus(await caller.get(HELPDESK_OVERVIEW), 200);
    const { data } = expectStatus(await caller.get(`${ORGANIZATION_TICKETS}?pageSize=100`), 200).body;
    for (const { status, count } of body.byStatus)
      expect(count).toBe(data.filter((ticket: { status: string }) => ticket.status === status).length);
    const open = data.filter(({ status }: { status: string }) => ["OPEN", "IN_PROGRESS"].includes(status));
    expect(body.open).toBe(open.length);
    for (const { category, count } of body.byCategory)
      expect(count).toBe(open.filter((ticket: { category: string }) => ticket.category === category).length);
    const hours = Array.from({ length: 7 }, () => Array<number>(24).fill(0));
    for (const { createdAt } of data) {
      const time = new Date(createdAt);
      const row = hours[(time.getUTCDay() + 6) % 7] ?? [];
      if (Date.now() - time.getTime() < 29 * DAY_MS)
        row[time.getUTCHours()] = (row[time.getUTCHours()] ?? 0) + 1;
    }
    expect(body.hours).toEqual(hours);
  }
  expectStatus(await (await org.member({ role: "MEMBER" })).get(HELPDESK_OVERVIEW), 403);
});

test("a day on which a member was active is stored once per organization, and deleted after 90 days (rules 31.6)", async () => {
  const org = await createOrganization(t);
  const member = await org.member({ role: "MEMBER" });
  const userId = await userIdOf(t, member);
  await member.refresh();
  await member.refresh();
  const rows = () => t.sql("SELECT day FROM member_activity WHERE user_id = $1", [userId]);
  expect(await rows()).toHaveLength(1);
  await t.sql("UPDATE member_activity SET day = day - 89 WHERE user_id = $1", [userId]);
  const { lastActiveOn } = expectStatus(await org.admin.get(`/api/members/${userId}`), 200).body;
  expect(lastActiveOn).toBe(dayIn("UTC", new Date(Date.now() - 89 * DAY_MS)));
  await cleanUp();
  expect(await rows()).toHaveLength(1);
  await t.sql("UPDATE member_activity SET day = day - 2 WHERE user_id = $1", [userId]);
  await cleanUp();
  expect(await rows()).toHaveLength(0);
});

test("the first refresh of a day, and a switch to an organization, record activity there (rules 31.6)", async () => {
  const [org, other] = await Promise.all([createOrganization(t), createOrganization(t)]);
  const member = await org.member({ role: "MEMBER" });
  const userId = await userIdOf(t, member);
  const days = () =>
    t.sql("SELECT organization_id, count(*)::int FROM member_activity WHERE user_id = $1 GROUP BY 1", [
      userId,
    ]);
  await t.sql("UPDATE member_activity SET day = day - 1 WHERE user_id = $1", [userId]);
  await t.sql("UPDATE refresh_tokens SET created_at = created_at - interval '1 day' WHERE user_id = $1", [
    userId,
  ]);
  expectStatus(await member.refresh(), 200);
  expect(await days()).toEqual([{ organization_id: org.id, count: 2 }]);
  expectStatus(await member.refresh(), 200);
  await other.add(member, { role: "MEMBER" });
  expectStatus(await member.post("/api/auth/organization", { organizationId: other.id }), 200);
  expect(await days()).toContainEqual({ organization_id: other.id, count: 1 });
});

test("a member's second factor and last activity are shown only to callers who may remove the member (rules 31.7)", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  const inside = await userIdOf(t, await org.member({ role: "MEMBER", unit }));
  const outside = await userIdOf(t, await org.member({ role: "MEMBER" }));
  const readers = await org.role("Readers", "Members.Read");
  const removers = await org.role("Removers", "Members.Delete");
  const reader = await org.member({ role: readers }, { role: removers, unit });
  const shown = async (id: string) => (await reader.get(`/api/members/${id}`)).body;
  expect(await shown(inside)).toMatchObject({ twoFactorEnabled: false, lastActiveOn: expect.any(String) });
  expect(await shown(outside)).toMatchObject({ twoFactorEnabled: null, lastActiveOn: null });
  const listed = (await reader.get("/api/members?pageSize=100")).body.data;
  for (const id of [inside, outside])
    expect(listed.find(({ userId }: { userId: string }) => userId === id)).toEqual(await shown(id));
  expectStatus(await reader.get("/api/members?twoFactor=off"), 403);
  expect((await org.admin.get("/api/members?twoFactor=off")).body.total).toBe(4);
  await t.sql("UPDATE users SET two_factor_enabled_at = now() WHERE id = $1", [inside]);
  expect((await org.admin.get("/api/members?twoFactor=on")).body.data).toMatchObject([{ userId: inside }]);
});
