import { expect, test } from "bun:test";
import { isSingleOrganization } from "../../../src/core/access/access.ts";
import { DOCUMENT_APP, insertGrant, useApp } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { report } from "../../support/helpdesk.ts";
import { invite } from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, idOf } from "../../support/outcomes.ts";
import { isOfService } from "../../support/product-names.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { connect } from "../../support/sso.ts";

const t = await startService({ OAUTH_APPS: "any" });
const root = await t.platformAdmin();

/** Creates an organization with a unit, a sub-unit, and in each a member with todos, tickets and an invitation. */
async function furnished() {
  const org = await createOrganization(t);
  const [top, below] = [await org.unit("Area"), await org.unit("Branch")];
  const people: Caller[] = [];
  for (const unit of [top, below]) {
    const person = await org.member({ role: "MEMBER", unit });
    const todo = expectStatus(await person.post("/api/todos", { title: "Call Ada" }), 201).body;
    expectStatus(await person.post("/api/todos", { title: "Pay" }), 201);
    expectStatus(await person.patch(`/api/todos/${todo.id}`, { completed: true }), 200);
    await report(person, { subject: "A question", category: "BUG" });
    await report(person, { subject: "Other", category: "QUESTION" });
    expectStatus(await invite(org.admin, { roles: [{ role: "MEMBER", unit }] }), 201);
    people.push(person);
    await insertGrant(t, { userId: idOf(person), organizationId: org.id });
  }
  const roleId = await org.role("Planner", "Units.Read");
  const { id: connectionId } = await connect(t, org, { issuer: "https://login.example.com" });
  const mapping = { connectionId, group: "Planners", roleId };
  expectStatus(await org.admin.post("/api/organization/mappings", mapping), 201);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: below });
  const { grantId, accessToken } = await insertGrant(t, { userId: idOf(unitAdmin), organizationId: org.id });
  const app = useApp(t, accessToken);
  expectStatus(await app.patch(`/api/units/${below}`, { name: "Branch by an app" }), 200);
  return { org, units: [top, below], people, unitAdmin, connectionId, grantId };
}

const one = await furnished();
const other = await furnished();
const { org, people, unitAdmin } = one;
await t.drain();
// Audit events of sign-ins are written after the response.
const UNWRITTEN = `SELECT FROM users u WHERE NOT EXISTS (
  SELECT FROM audit_events e WHERE e.action = 'LOGIN_SUCCEEDED' AND e.actor_id = u.id)`;
await until(async () => ((await t.sql(UNWRITTEN)).length === 0 ? true : null));

const unitIds = [...one.units, ...other.units];
const memberIds = [...people, unitAdmin, ...other.people].map(idOf);
/** Values of each filter: some that match much, and ids of what the caller may see and what not. */
const VALUES: Record<string, string[]> = {
  search: ["a"],
  unread: ["true", "false"],
  completed: ["true", "false"],
  unit: unitIds,
  member: memberIds,
  "X-Filter-Unit": unitIds,
  "X-Filter-Member": memberIds,
  organization: [org.id, other.org.id],
  action: ["UNIT_CREATED", "USER_INVITED", "LOGIN_SUCCEEDED"],
  actorId: [idOf(org.admin), idOf(people[0] as Caller)],
  targetType: ["user", "invitation"],
  targetId: memberIds.slice(0, 2),
  grantId: [one.grantId, other.grantId],
  from: ["2020-01-01", "2099-01-01"],
  to: ["2020-01-01", "2099-01-01"],
  status: ["OPEN", "CLOSED"],
  category: ["BUG", "QUESTION"],
  twoFactor: ["on", "off"],
  reason: ["no-identity", "no-second-factor"],
  client: [DOCUMENT_APP],
  userId: memberIds,
  connectionId: [one.connectionId, other.connectionId],
};
/** Filters that need a permission in the whole organization, which only these callers have; the others get 403. */
const CALLERS_OF_FILTER: Record<string, string[]> = { twoFactor: ["root", "admin"] };
/** These headers filter some lists (rules 2); other lists ignore them. */
const HEADERS: Record<string, string[]> = {
  "/api/todos": ["X-Filter-Unit", "X-Filter-Member"],
  "/api/todos/all": ["X-Filter-Unit", "X-Filter-Member"],
  "/api/units": ["X-Filter-Unit"],
};
/** Of the last two depends what is listed, not which part of it. */
const NOT_FILTERS = ["page", "pageSize", "sort", "order", "scope", "requireTwoFactor"];

type Filter = { name: string; value: string };
type Parameter = { name: string; in: string; schema?: { enum?: string[]; type?: string } };
const { paths } = (await root.get("/api/docs-json")).body;
/** Filters of a product: each value of a choice. */
const CHOICES: Record<string, string[]> = {};
const lists = Object.entries<{ get?: { parameters?: Parameter[] } }>(paths).flatMap(([path, { get }]) => {
  const inQuery = (get?.parameters ?? []).filter((one) => one.in === "query");
  const names = inQuery.map(({ name }) => name);
  for (const { name, schema: { enum: choices, type } = {} } of inQuery)
    CHOICES[name] = choices ?? (type === "boolean" ? ["true", "false"] : []);
  const filters = names.filter((name) => !NOT_FILTERS.includes(name));
  return names.includes("page") && !path.includes("{")
    ? [{ path, filters: [...filters, ...(HEADERS[path] ?? [])] }]
    : [];
});

const onOneOrganization = new Set(
  definitions.filter(({ access }) => isSingleOrganization(access)).map(({ path }) => path),
);

const isHeader = ({ name }: Filter) => name.startsWith("X-");

/** Returns the ids in a list with these filters, or null if the caller may not read the list. */
async function idsOf(caller: Caller, path: string, filters: Filter[], acting: Organization | null) {
  const query = new URLSearchParams({ pageSize: "100" });
  for (const { name, value } of filters.filter((filter) => !isHeader(filter))) query.append(name, value);
  const headers = Object.fromEntries(filters.filter(isHeader).map(({ name, value }) => [name, value]));
  const response = await caller.get(`${path}?${query}`, {
    headers: { ...headers, ...(acting && actingIn(acting).headers) },
  });
  if (response.status === 403 && filters.length === 0) return null;
  const { data, total } = expectStatus(response, 200).body;
  // All rows must fit on one page, or a filter that is lost on a later page would go unnoticed.
  expect([path, total <= 100, data.length]).toEqual([path, true, total]);
  return new Set<string>(data.map((row: { id?: string; userId?: string }) => row.id ?? row.userId));
}

const CALLERS: Record<string, Caller> = { root, admin: org.admin, unitAdmin, member: people[1] as Caller };

test("the OpenAPI document has lists with several filters, and every filter has test values", () => {
  expect(lists.filter(({ filters }) => filters.length > 1).length).toBeGreaterThan(8);
  const ofService = new Set(definitions.filter(isOfService).map(({ path }) => path));
  for (const { path, filters } of lists)
    if (ofService.has(path)) for (const name of filters) expect(Object.keys(VALUES)).toContain(name);
});

for (const { path, filters: documented } of lists)
  for (const [who, caller] of Object.entries(CALLERS))
    test(`two filters of ${path} return to ${who} exactly the rows that each filter returns alone`, async () => {
      const acting = who === "root" && onOneOrganization.has(path) ? org : null;
      const filters = documented.filter((name) => CALLERS_OF_FILTER[name]?.includes(who) ?? true);
      const all = await idsOf(caller, path, [], acting);
      if (all === null) return;
      const values = (name: string) =>
        (VALUES[name] ?? CHOICES[name] ?? []).map((value) => ({ name, value }));
      const alone = new Map<string, Set<string>>();
      for (const filter of filters.flatMap(values)) {
        const ids = (await idsOf(caller, path, [filter], acting)) ?? new Set();
        alone.set(`${filter.name} ${filter.value}`, ids);
        expect({ filter, more: [...ids.difference(all)] }).toEqual({ filter, more: [] });
      }
      const shownBy = ({ name, value }: Filter) => alone.get(`${name} ${value}`) ?? new Set();
      for (const [index, first] of filters.entries())
        for (const second of filters.slice(index + 1))
          for (const a of values(first))
            for (const b of values(second)) {
              const both = (await idsOf(caller, path, [a, b], acting)) ?? new Set();
              const expected = shownBy(a).intersection(shownBy(b));
              expect({ a, b, ids: [...both].sort() }).toEqual({ a, b, ids: [...expected].sort() });
            }
    });
