import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as audit from "#sql/audit";
import { listEventsFirstPages } from "#sql/audit.pages";
import * as tickets from "#sql/helpdesk/tickets";
import { listTicketsFirstPages } from "#sql/helpdesk/tickets.pages";
import * as invitations from "#sql/invitations";
import { listInvitationsFirstPages } from "#sql/invitations.pages";
import * as members from "#sql/members";
import { listMembersFirstPages } from "#sql/members.pages";
import * as notifications from "#sql/notifications";
import { listNotificationsFirstPages } from "#sql/notifications.pages";
import * as todos from "#sql/todos";
import { listTodosFirstPages } from "#sql/todos.pages";
import * as users from "#sql/users";
import { listUsersFirstPages } from "#sql/users.pages";
import { countRows } from "../../../src/core/row-counts.ts";
import { PLANNER } from "../../../src/platform/db/connection.ts";
import { ListQuery } from "../../../src/platform/db/list-query.ts";
import { layPeriods, wholeTable } from "../../support/audit-periods.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";

/*
 * PostgreSQL caches one generic plan of a first page for tenants of all sizes, so the plan must suit the smallest and
 * the largest. Whatever the sort order and number of rows, it must read about one page of the table and sort nothing.
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
  // Generic plans, which the connections of first pages use after a few executions, whatever the cost estimates.
  await connection.unsafe("SET plan_cache_mode = force_generic_plan");
});

const nothing = { organizations: null, units: null, search: null };
const noTodoFilter = { ...nothing, ownerId: null, owners: null, completed: null };
const noTicketFilter = {
  ...nothing,
  reporters: null,
  statuses: null,
  category: null,
  number: null,
  found: null,
};
const sees = { seesPlatformNotes: false, seesOrganizationNotes: true, noteUnits: null };
const noEventFilter = {
  ...nothing,
  ...{
    actors: null,
    actorUnits: null,
    action: null,
    targetType: null,
    targetId: null,
    from: null,
    until: null,
  },
  ...{ found: null, foundActions: null, afterId: null, afterTime: null },
};

// biome-ignore lint/suspicious/noExplicitAny: a list of any parameters and rows
type AnyList = ListQuery<any, any>;
type Case = {
  list: AnyList;
  table: string;
  sorts: (string | null)[];
  filters: (of: Tenant) => object;
  counted: (of: Tenant) => Counted;
};
type Counted = ReturnType<typeof countRows>;
const todoList = new ListQuery(todos.listTodos, listTodosFirstPages);
const ticketList = new ListQuery(tickets.listTickets, listTicketsFirstPages);
const cases: Record<string, Case> = {
  "the todos of an organization": {
    list: todoList,
    table: "todos",
    sorts: ["createdAt", "title"],
    filters: ({ organizationId }) => ({ ...noTodoFilter, organizationId }),
    counted: ({ organizationId }) => todos.countAllTodos.with({ organizationId }),
  },
  "one's own todos": {
    list: todoList,
    table: "todos",
    sorts: ["createdAt"],
    filters: ({ organizationId, userId }) => ({ ...noTodoFilter, organizationId, ownerId: userId }),
    counted: ({ organizationId, userId }) => todos.countAllTodosOfOwner.with({ organizationId, userId }),
  },
  "the members of an organization": {
    list: new ListQuery(members.listMembers, listMembersFirstPages),
    table: "memberships",
    sorts: ["lastName", "email", "joinedAt"],
    filters: ({ organizationId }) => ({
      units: null,
      search: null,
      members: null,
      visible: null,
      organizationId,
    }),
    counted: ({ organizationId }) => countRows("memberships", organizationId),
  },
  "the tickets of an organization": {
    list: ticketList,
    table: "tickets",
    sorts: ["lastActivityAt", "createdAt", "number"],
    filters: ({ organizationId, userId }) => ({
      ...{ ...noTicketFilter, ...sees, organizationId, reporterId: null, viewerId: userId },
    }),
    counted: ({ organizationId }) => countRows("tickets", organizationId),
  },
  "one's own tickets": {
    list: ticketList,
    table: "tickets",
    sorts: ["lastActivityAt"],
    filters: ({ userId }) => ({
      ...{ ...noTicketFilter, ...sees, organizationId: null, reporterId: userId, viewerId: userId },
    }),
    counted: ({ userId }) => countRows("reported_tickets", userId),
  },
  "the audit log of an organization": {
    list: new ListQuery(audit.listEvents, listEventsFirstPages),
    table: "audit_events",
    sorts: [null],
    filters: ({ organizationId, userId }) => ({ ...noEventFilter, organizationId, viewerId: userId }),
    counted: ({ organizationId }) => countRows("audit_events", organizationId),
  },
  "one's own notifications": {
    list: new ListQuery(notifications.listNotifications, listNotificationsFirstPages),
    table: "notifications",
    sorts: [null],
    filters: ({ userId }) => ({ userId, onlyUnread: null, types: null }),
    counted: ({ userId }) => countRows("notifications", userId),
  },
};

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  Plans?: Plan[];
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Returns the statement that a list sends for a page; throws if it does not use the cached plan of a first page. */
async function statementOf(list: AnyList, parameters: object) {
  let sent: { text: string; values: unknown[] } | null = null;
  const query = async (text: string, values: unknown[]) => {
    sent = { text, values };
    return [];
  };
  const refuse = async () => {
    throw new Error("Not a statement with a plan of its own");
  };
  const db = { pages: { query }, lists: { query: refuse } };
  await list.run(parameters, db);
  return sent as unknown as { text: string; values: unknown[] };
}

async function planned(list: AnyList, parameters: object) {
  const { text, values } = await statementOf(list, parameters);
  await connection.unsafe(`PREPARE page AS ${text}`);
  const execute = `EXECUTE page (${values.map((value) => (value ? `'${value}'` : "NULL")).join(", ")})`;
  const [row] = await connection.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`);
  const rows = await connection.unsafe(execute);
  await connection.unsafe("DEALLOCATE page");
  return { nodes: nodesOf(row["QUERY PLAN"][0].Plan), total: rows[0]?.["total!"] ?? 0 };
}

for (const [name, { list, table, sorts, filters, counted }] of Object.entries(cases))
  test(`the first page of ${name} reads only the rows of its page and a stored total, for tenants of all sizes`, async () => {
    for (const tenant of tenants) {
      const { query, params } = counted(tenant);
      const values = query.parameters.map((parameter) => params[parameter]);
      const [kept] = await connection.unsafe(query.text, values);
      for (const sort of sorts)
        for (const descending of [true, false]) {
          const window = { ...(sort !== null && { sort }), descending, limit: PAGE, offset: "0" };
          const { nodes, total } = await planned(list, { ...filters(tenant), ...window });
          const read = nodes
            .filter((node) => wholeTable(node["Relation Name"] ?? "") === table)
            .reduce((rows, node) => rows + node["Actual Rows"] * node["Actual Loops"], 0);
          // Rows found by an index scan and then fetched from the table count twice.
          expect(read).toBeLessThanOrEqual(2 * PAGE);
          expect(total).toBe(kept["total!"]);
        }
    }
  });

for (const [name, { list, sorts, filters }] of Object.entries(cases))
  test(`the first page of ${name} reads few rows of any table for a tenant that the planner's statistics do not know`, async () => {
    for (const sort of sorts)
      for (const descending of [true, false]) {
        const window = { ...(sort !== null && { sort }), descending, limit: PAGE, offset: "0" };
        const { nodes } = await planned(list, { ...filters(newTenant), ...window });
        const read = nodes
          .filter((node) => node["Relation Name"] !== undefined)
          .map((node) => node["Actual Rows"] * node["Actual Loops"]);
        expect([sort, descending, Math.max(...read) <= 5 * PAGE]).toEqual([sort, descending, true]);
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

/** Parameters that have no effect without another filter. */
const PARTS_OF_FILTERS = new Set(["number", "found", "foundActions", "afterTime"]);

for (const [name, { list, sorts, filters }] of Object.entries(cases))
  test(`${name}: pages with a filter, later pages and unusual page sizes get custom plans`, async () => {
    const [tenant] = tenants as [Tenant];
    const [sort] = sorts;
    const given = filters(tenant) as Record<string, unknown>;
    const page = { ...given, ...(sort !== null && { sort }), descending: true, limit: PAGE, offset: "0" };
    await statementOf(list, page);
    const unset = Object.keys(given).filter(
      (key) => given[key] === null && !PARTS_OF_FILTERS.has(key) && !(list === todoList && key === "ownerId"),
    );
    expect(unset).not.toEqual([]);
    const others = [...unset.map((key) => ({ [key]: [] })), { offset: "20" }, { limit: 7 }];
    for (const other of others)
      await expect(statementOf(list, { ...page, ...other })).rejects.toThrow("Not a statement");
  });

const lists = {
  todos: { query: todos.listTodos, firstPages: listTodosFirstPages },
  members: { query: members.listMembers, firstPages: listMembersFirstPages },
  users: { query: users.listUsers, firstPages: listUsersFirstPages },
  invitations: { query: invitations.listInvitations, firstPages: listInvitationsFirstPages },
  tickets: { query: tickets.listTickets, firstPages: listTicketsFirstPages },
  audit: { query: audit.listEvents, firstPages: listEventsFirstPages },
  notifications: { query: notifications.listNotifications, firstPages: listNotificationsFirstPages },
};

for (const [name, { query, firstPages }] of Object.entries(lists))
  for (const page of firstPages)
    test(`the first page of ${name} by ${page.sort}, descending ${page.descending}, filtered by ${page.filters.join(" and ") || "nothing"} has the same rows and total as the whole list`, async () => {
      const { organizationId, userId, units } = tenants[1] as Tenant;
      await addInvitations(organizationId, userId);
      const inUnits = { units, visible: units, manageableUnits: units };
      const scopes = {
        ...inUnits,
        organizationId,
        userId,
        ownerId: userId,
        reporterId: userId,
        viewerId: userId,
      };
      const given: Record<string, unknown> = {
        ...{ ...scopes, seesPlatformNotes: true, seesOrganizationNotes: true },
        ...{ sort: page.sort, descending: page.descending, offset: 0 },
      };
      for (const filter of page.without) given[filter] = null;
      const rowsOf = ({ text, parameters }: Statement, limit: number) =>
        connection.unsafe(
          text,
          parameters.map((name) => (name === "limit" ? limit : (given[name] ?? null))),
        );
      const whole = await rowsOf(query, 1_000_000);
      const rows = await rowsOf(page.query, PAGE);
      expect(rows.length).toBe(Math.min(PAGE, whole.length));
      expect(rows.length).toBeGreaterThan(0);
      for (const [index, { "total!": total, ...row }] of rows.entries()) {
        expect(row).toEqual(whole[index]);
        expect(total).toBe(page.hasTotal ? whole.length : undefined);
      }
    });

test("a misspelled sort is a type error", () => {
  type Params = Parameters<typeof todos.listTodos.run>[0];
  const sorts: Params["sort"][] = ["createdAt", "title"];
  // @ts-expect-error
  sorts.push("titel");
  expect(sorts).toContain("title");
});
