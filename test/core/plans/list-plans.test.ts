import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as audit from "#sql/audit";
import * as tickets from "#sql/helpdesk/tickets";
import * as invitations from "#sql/invitations";
import * as members from "#sql/members";
import * as notifications from "#sql/notifications";
import * as todos from "#sql/todos";
import { type List, list as readList } from "../../../src/core/api/list.ts";
import { PLANNER } from "../../../src/platform/db/connection.ts";
import { layPeriods, wholeTable } from "../../support/audit-periods.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { explain, nodesOf, prepared } from "../../support/query-plans.ts";
import { startService } from "../../support/service.ts";

/*
 * Whatever the sort order and number of rows, a first page must read about one page of the table and sort nothing. For
 * first pages with a query of their own, PostgreSQL caches one generic plan for tenants of all sizes, so that plan must
 * suit the smallest and the largest.
 */

const t = await startService();
const connection = new SQL({ url: t.databaseUrl, max: 1, connection: PLANNER });
afterAll(() => connection.close());

const SIZES = [10, 1_000, 30_000];
const PAGE = 20;
/** The number of rows of the new tenant: more than a page. */
const SMALL = 300;
/** `units` has one unit, which all members are linked to. */
type Tenant = { organizationId: string; userId: string; units: string };
let tenants: Tenant[];
/** A tenant that is newer than the planner's statistics, so its ids are above all values that these know. */
let newTenant: Tenant;

async function addTenant(rows: number): Promise<Tenant> {
  const { id: organizationId, admin } = await createOrganization(t);
  const userId = await userIdOf(t, admin);
  const many = "generate_series(1, $1::int) n";
  await t.sql(
    `INSERT INTO todos (organization_id, user_id, title, created_at)
     SELECT $2::uuid, $3::uuid, 'Todo ' || n % 97, now() - n * interval '1 second' FROM ${many}`,
    [rows, organizationId, userId],
  );
  await t.sql(
    `INSERT INTO tickets (subject, category, organization_id, reporter_id, created_at, last_activity_at)
     SELECT 'Ticket ' || n, 'BUG', $2::uuid, $3::uuid, now() - n * interval '1 second', now() - n % 89 * interval '1 hour'
     FROM ${many}`,
    [rows, organizationId, userId],
  );
  await t.sql(
    `INSERT INTO notifications (user_id, type, created_at)
     SELECT $2::uuid, 'TEST', now() - n * interval '1 second' FROM ${many}`,
    [rows, userId],
  );
  await t.sql(
    `INSERT INTO audit_events (action, actor_id, organization_id, time)
     SELECT 'LOGIN_SUCCEEDED', $3::uuid, $2::uuid, now() - n * interval '20 minutes' FROM ${many}`,
    [rows, organizationId, userId],
  );
  await t.sql(
    `WITH people AS (
       INSERT INTO users (email, first_name, last_name, language)
       SELECT $2 || n || '@example.com', 'F' || n % 83, 'L' || n % 79, 'EN' FROM ${many} RETURNING id
     ) INSERT INTO memberships (organization_id, user_id) SELECT $3::uuid, id FROM people`,
    [rows / 10, organizationId.slice(-12), organizationId],
  );
  const [unit] = await t.sql<{ id: string }>(
    `WITH place AS (INSERT INTO units (organization_id, name) VALUES ($1, 'All') RETURNING id), linked AS (
       INSERT INTO membership_units (membership_id, unit_id)
       SELECT m.id, place.id FROM memberships m, place WHERE m.organization_id = $1
     ) SELECT id FROM place`,
    [organizationId],
  );
  return { organizationId, userId, units: `{${unit?.id}}` };
}

beforeAll(async () => {
  tenants = [];
  // Thirteen monthly partitions, as many as exist if events are kept for a year or for ten.
  await layPeriods(
    t,
    Array.from({ length: 13 }, (_, months) => months),
  );
  for (const rows of SIZES) tenants.push(await addTenant(rows));
  // Accounts without todos and tickets, between those of the tenants above and those of the new tenant.
  await t.sql(
    `INSERT INTO users (email, first_name, last_name, language)
     SELECT 'idle' || n || '@example.com', 'F', 'L', 'EN' FROM generate_series(1, 20000) n`,
  );
  await t.sql("ANALYZE");
  newTenant = await addTenant(SMALL);
});

const sees = { seesPlatformNotes: false, seesOrganizationNotes: true, noteUnits: null };

// biome-ignore lint/suspicious/noExplicitAny: a list of any parameters and rows
type AnyList = List<any, any>;
type Case = { list: AnyList; table: string; sorts: (string | null)[]; given: (of: Tenant) => object };
const cases: Record<string, Case> = {
  "the todos of an organization": {
    list: todos.todos,
    table: "todos",
    sorts: ["createdAt", "title"],
    given: ({ organizationId }) => ({ organizationId }),
  },
  "one's own todos": {
    list: todos.todos,
    table: "todos",
    sorts: ["createdAt"],
    given: ({ organizationId, userId }) => ({ organizationId, ownerId: userId }),
  },
  "the members of an organization": {
    list: members.members,
    table: "memberships",
    sorts: ["lastName", "email", "joinedAt"],
    given: ({ organizationId }) => ({ organizationId, visible: null, manageableUnits: null }),
  },
  "the tickets of an organization": {
    list: tickets.tickets,
    table: "tickets",
    sorts: ["lastActivityAt", "createdAt", "number"],
    given: ({ organizationId, userId }) => ({ ...sees, organizationId, viewerId: userId }),
  },
  "one's own tickets": {
    list: tickets.tickets,
    table: "tickets",
    sorts: ["lastActivityAt"],
    given: ({ userId }) => ({ ...sees, reporterId: userId, viewerId: userId }),
  },
  "the audit log of an organization": {
    list: audit.events,
    table: "audit_events",
    sorts: [null],
    given: ({ organizationId, userId }) => ({ organizationId, viewerId: userId }),
  },
  "one's own notifications": {
    list: notifications.notifications,
    table: "notifications",
    sorts: [null],
    given: ({ userId }) => ({ userId }),
  },
};

type Asked = { sort: string | null; order: "asc" | "desc"; page?: number; pageSize?: number };
type Pool = "pages" | "lists";

/** Returns the statement that a list sends for a page, and the pool to which it is sent. */
async function statementOf(list: AnyList, given: object, asked: Asked) {
  const sent: { text: string; values: unknown[]; pool: Pool }[] = [];
  const capture = (pool: Pool) => ({
    query: async (text: string, values: unknown[]) => {
      sent.push({ text, values, pool });
      return [];
    },
  });
  const db = { pages: capture("pages"), lists: capture("lists") };
  await readList(list, { db }, { page: 1, pageSize: PAGE, ...given, ...asked });
  const [statement] = sent;
  if (statement === undefined) throw new Error("No statement");
  return statement;
}

/** Returns the plan of a first page as the pool of its statement plans it, and the total that its rows have. */
async function planned(list: AnyList, given: object, asked: Asked) {
  const { text, values, pool } = await statementOf(list, given, asked);
  await connection.unsafe(
    `SET plan_cache_mode = ${pool === "pages" ? "force_generic_plan" : "force_custom_plan"}`,
  );
  return prepared(connection, text, async (execute) => {
    const nodes = nodesOf(await explain(connection, execute(values), "ANALYZE"));
    const rows = await connection.unsafe(execute(values));
    return { nodes, total: rows[0]?.["total!"], pool };
  });
}

/** Returns the stored total of a list with these filters. */
async function storedTotal(list: AnyList, given: object): Promise<number> {
  const set = list.filters.filter((filter) => filter in given);
  const stored = list.totals.find(({ filters }) => filters.toSorted().join() === set.toSorted().join());
  if (stored === undefined) throw new Error("No stored total");
  const { text, parameters } = stored.query;
  const [row] = await connection.unsafe(
    text,
    parameters.map((name) => (given as Record<string, unknown>)[name]),
  );
  return row["total!"];
}

const DIRECTIONS = ["desc", "asc"] as const;

for (const [name, { list, table, sorts, given }] of Object.entries(cases))
  test(`the first page of ${name} reads only the rows of its page and a stored total, for tenants of all sizes`, async () => {
    let cached = 0;
    for (const tenant of tenants) {
      const kept = await storedTotal(list, given(tenant));
      for (const sort of sorts)
        for (const order of DIRECTIONS) {
          const { nodes, total, pool } = await planned(list, given(tenant), { sort, order });
          const read = nodes
            .filter((node) => wholeTable(node["Relation Name"] ?? "") === table)
            .reduce((rows, node) => rows + node["Actual Rows"] * node["Actual Loops"], 0);
          // Rows found by an index scan and then fetched from the table count twice.
          expect(read).toBeLessThanOrEqual(2 * PAGE);
          expect(total).toBe(pool === "pages" ? kept : undefined);
          if (pool === "pages") cached += 1;
        }
    }
    // At least one first page has a cached plan, for tenants of all sizes.
    expect([cached > 0, cached % tenants.length]).toEqual([true, 0]);
  });

for (const [name, { list, sorts, given }] of Object.entries(cases))
  test(`the first page of ${name} reads few rows of any table for a tenant that the planner's statistics do not know`, async () => {
    for (const sort of sorts)
      for (const order of DIRECTIONS) {
        const { nodes, pool } = await planned(list, given(newTenant), { sort, order });
        const read = nodes
          .filter((node) => node["Relation Name"] !== undefined)
          .map((node) => node["Actual Rows"] * node["Actual Loops"]);
        // A custom plan may sort all rows of a tenant for which the planner expects one.
        const max = pool === "pages" ? 5 * PAGE : SMALL;
        expect([sort, order, Math.max(...read) <= max]).toEqual([sort, order, true]);
      }
  });

type Statement = { text: string; parameters: readonly string[] };

const addInvitations = (organizationId: string, userId: string) =>
  t.sql(
    `INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id)
     SELECT $1, n || '-' || gen_random_uuid() || '@example.com', 'EN', gen_random_uuid()::text,
       now() + interval '1 day', $2 FROM generate_series(1, 30) n`,
    [organizationId, userId],
  );

for (const [name, { list, given }] of Object.entries(cases))
  test(`${name}: pages with a filter, later pages and unusual page sizes get custom plans`, async () => {
    const [tenant] = tenants as [Tenant];
    const filters = given(tenant);
    const set = list.filters.filter((filter) => filter in filters);
    const first = list.firstPages.find((page) => page.filters.toSorted().join() === set.toSorted().join());
    const asked = { sort: first?.sort ?? null, order: first?.descending ? "desc" : "asc" } as const;
    const poolOf = async (...[other, window]: [object, Partial<Asked>]) =>
      (await statementOf(list, { ...filters, ...other }, { ...asked, ...window })).pool;
    expect(await poolOf({}, {})).toBe("pages");
    // Own todos, and members of units, have a first page with another filter.
    const others = list.filters.filter(
      (filter) => !set.includes(filter) && !list.firstPages.some((page) => page.filters.includes(filter)),
    );
    expect(others).not.toEqual([]);
    for (const filter of others)
      expect([filter, await poolOf({ [filter]: [] }, {})]).toEqual([filter, "lists"]);
    expect(await poolOf({}, { page: 2 })).toBe("lists");
    expect(await poolOf({}, { pageSize: 7 })).toBe("lists");
  });

const lists: Record<string, AnyList> = {
  todos: todos.todos,
  members: members.members,
  invitations: invitations.invitations,
  tickets: tickets.tickets,
  audit: audit.events,
  notifications: notifications.notifications,
};

for (const [name, list] of Object.entries(lists))
  for (const first of list.firstPages)
    test(`the first page of ${name} by ${first.sort}, descending ${first.descending}, filtered by ${first.filters.join(" and ") || "nothing"} has the same rows and total as the whole list`, async () => {
      const { organizationId, userId, units } = tenants[1] as Tenant;
      await addInvitations(organizationId, userId);
      const inUnits = { units, visible: units, manageableUnits: units };
      const given: Record<string, unknown> = {
        ...{ ...inUnits, organizationId, userId, ownerId: userId, reporterId: userId, viewerId: userId },
        ...{ seesPlatformNotes: true, seesOrganizationNotes: true },
        ...{ sort: first.sort, descending: first.descending, offset: 0 },
      };
      for (const filter of list.filters) if (!first.filters.includes(filter)) given[filter] = null;
      const rowsOf = ({ text, parameters }: Statement, limit: number) =>
        connection.unsafe(
          text,
          parameters.map((name) => (name === "limit" ? limit : (given[name] ?? null))),
        );
      const whole = await rowsOf(list.page, 1_000_000);
      const rows = await rowsOf(first.query, PAGE);
      expect(rows.length).toBe(Math.min(PAGE, whole.length));
      expect(rows.length).toBeGreaterThan(0);
      for (const [index, { "total!": total, ...row }] of rows.entries()) {
        expect(row).toEqual(whole[index]);
        expect(total).toBe(first.hasTotal ? whole.length : undefined);
      }
    });

test("a misspelled sort is a type error", () => {
  type Params = Parameters<typeof todos.listTodos.run>[0];
  const sorts: Params["sort"][] = ["createdAt", "title"];
  // @ts-expect-error
  sorts.push("titel");
  expect(sorts).toContain("title");
});
