import { expect, test } from "bun:test";
import { ALL_EVENTS, EVENTS } from "../../support/audit.ts";
import type { Caller } from "../../support/caller.ts";
import { INVITATIONS, invite } from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, idOf } from "../../support/outcomes.ts";
import { ROUNDS } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";

/*
 * Rows and total of a list are two statements. For every caller and filter, all pages together must have as many rows
 * as the total. This is tested both below and above the number of matching users up to which a search passes them as
 * ids.
 */

const small = await startService();
const large = await startService({}, { maxUserIdsInFilter: 1 });

/** The maximum number of filters that are combined: all in CI, two on a developer's machine. */
const MAX_FILTERS = ROUNDS > 10 ? Number.POSITIVE_INFINITY : 2;

/** Returns every combination of the parameters as a query string; each parameter has one of its values or is absent. */
const combinations = (varying: Record<string, string[]>): string[] =>
  Object.entries(varying)
    .reduce<string[][]>(
      (made, [name, values]) =>
        made.flatMap((one) => [
          one,
          ...values.map((value) => [...one, `&${name}=${encodeURIComponent(value)}`]),
        ]),
      [[]],
    )
    .filter((filters) => filters.length <= MAX_FILTERS)
    .map((filters) => filters.join(""));

async function expectTotal(caller: Caller, path: string, query: string, headers = {}): Promise<number> {
  const PAGE_SIZE = 40;
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const asked = `${path}?pageSize=${PAGE_SIZE}&page=${page}${query}`;
    const { data, total } = expectStatus(await caller.get(asked, { headers }), 200).body;
    for (const row of data) ids.push(row.id ?? row.userId);
    if (data.length === PAGE_SIZE) continue;
    expect([asked, total, new Set(ids).size]).toEqual([asked, ids.length, ids.length]);
    return total;
  }
}

/**
 * Creates an organization with two units, and members with todos, tickets and invitations inside and outside of each
 * unit. One member has deleted their account.
 */
async function grow(t: typeof small) {
  const org = await createOrganization(t, "Totals");
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const admin = await org.member({ role: "UNIT_ADMIN", unit: one });
  const insider = await org.member({ role: "MEMBER" }, { role: "MEMBER", unit: one });
  const outsider = await org.member({ role: "MEMBER" }, { role: "MEMBER", unit: two });
  const gone = await org.member({ role: "MEMBER" }, { role: "MEMBER", unit: one });
  for (const person of [insider, outsider, gone, org.admin]) {
    expectStatus(await person.post("/api/todos", { title: "Needle" }), 201);
    const ticket = { subject: "Needle", category: "BUG", message: "Help" };
    expectStatus(await person.post("/api/support/tickets", ticket), 201);
  }
  for (const roles of [
    [{ role: "MEMBER", unit: one }],
    [{ role: "MEMBER", unit: two }],
    [{ role: "MEMBER" }],
  ])
    expectStatus(await invite(org.admin, { roles }), 201);
  expectStatus(await gone.post("/api/profile/delete", { password: "wide blue yonder" }), 204);
  return { org, units: [one, two], admin, people: [insider, outsider, gone] };
}

async function compareAll(t: typeof small): Promise<number> {
  const { org, units, admin, people } = await grow(t);
  const platform = await t.platformAdmin();
  const [, outsider, gone] = people as [Caller, Caller, Caller];
  const search = ["needle", "@example.com", outsider.email];
  const unit = units.slice(1);
  const member = [idOf(outsider), idOf(gone)];
  const actorId = [idOf(org.admin)];
  const inOrganization: Record<string, Record<string, string[]>> = {
    "/api/members": { search, unit, member },
    "/api/organization/helpdesk/tickets": { search, unit, member, status: ["OPEN"] },
    [INVITATIONS]: { search },
    "/api/todos": { search, completed: ["false"] },
    "/api/todos/all": { search, completed: ["true", "false"] },
    [EVENTS]: { search: [...search, "user_inv"], unit, member, actorId },
  };
  const everywhere: Record<string, Record<string, string[]>> = {
    "/api/users": { search, unit, member, organization: [org.id] },
    "/api/organizations": { search: ["totals"], organization: [org.id] },
    "/api/helpdesk/tickets": { search, unit, member, organization: [org.id] },
    [ALL_EVENTS]: { search, unit, member, organization: [org.id] },
  };
  let rows = 0;
  for (const [path, varying] of Object.entries(inOrganization))
    for (const query of combinations(varying))
      for (const caller of [admin, org.admin]) rows += await expectTotal(caller, path, query);
  for (const filter of ["x-filter-unit", "x-filter-member"])
    for (const id of [...units, ...member])
      rows += await expectTotal(org.admin, "/api/todos/all", "", { [filter]: id });
  for (const [path, varying] of Object.entries(everywhere))
    for (const query of combinations(varying)) rows += await expectTotal(platform, path, query);
  return rows + (await ownLists(people[0] as Caller, platform, org));
}

async function ownLists(person: Caller, platform: Caller, org: Organization): Promise<number> {
  let rows = await expectTotal(platform, "/api/todos/all", "&search=needle", actingIn(org).headers);
  for (const query of combinations({ search: ["needle", "#1", "nothing"], status: ["OPEN"] }))
    rows += await expectTotal(person, "/api/support/tickets", query);
  for (const query of combinations({ unread: ["true", "false"] }))
    rows += await expectTotal(person, "/api/notifications", query);
  return rows;
}

test("a list's total equals the rows of all its pages if matching users are passed as ids", async () => {
  expect(await compareAll(small)).toBeGreaterThan(100);
});

test("a list's total equals the rows of all its pages if too many users match to be passed as ids", async () => {
  expect(await compareAll(large)).toBeGreaterThan(100);
});
