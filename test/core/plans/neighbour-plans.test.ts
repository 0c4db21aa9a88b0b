import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as audit from "#sql/audit";
import * as tickets from "#sql/helpdesk/tickets";
import * as invitations from "#sql/invitations";
import * as members from "#sql/members";
import * as notifications from "#sql/notifications";
import * as accounts from "#sql/people/accounts";
import * as roles from "#sql/roles";
import * as serviceAccounts from "#sql/service-accounts";
import * as todos from "#sql/todos";
import * as units from "#sql/units";
import { PLANNER } from "../../../src/platform/db/connection.ts";
import type { PreparedQuery } from "../../../src/platform/db/prepared-query.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { explain, nodesOf, prepared, removedBy } from "../../support/query-plans.ts";
import { startService } from "../../support/service.ts";

/*
 * Lists and searches read the rows of the caller's organization only, or of the caller, however many rows others have and
 * whether the word is rare, frequent, absent, or too short for trigrams. A list without a search hardly reads a row that
 * it does not return.
 */

const t = await startService();
const connection = new SQL({ url: t.databaseUrl, max: 1, connection: PLANNER });
afterAll(() => connection.close());

const OWN_ROWS = 500;
const OTHER_ROWS = 20_000;
const PAGE = 20;
const SEARCHES = [null, "bank", "00000777", "zebra", "zq", "example.com"];
let organizationId: string;
let userId: string;

async function fill(rows: number): Promise<void> {
  const { id, admin } = await createOrganization(t);
  [organizationId, userId] = [id, await userIdOf(t, admin)];
  const title =
    "(ARRAY['Water the plants ', 'Call the bank ', 'Write '])[1 + n % 3] || to_char(n, 'FM00000000')";
  const many = "generate_series(1, $1::int) n";
  const given = [rows, organizationId, userId];
  await t.sql(
    `INSERT INTO todos (organization_id, user_id, title) SELECT $2::uuid, $3::uuid, ${title} FROM ${many}`,
    given,
  );
  await t.sql(
    `INSERT INTO tickets (subject, category, organization_id, reporter_id)
     SELECT ${title}, 'BUG', $2::uuid, $3::uuid FROM ${many}`,
    given,
  );
  await t.sql(
    `INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id)
     SELECT $2::uuid, n || '.bank@example.com', 'EN', gen_random_uuid()::text, now() + interval '1 day', $3::uuid FROM ${many}`,
    given,
  );
  await t.sql(
    `INSERT INTO audit_events (action, organization_id, actor_id, ip, request_id, time)
     SELECT 'UNIT_CREATED', $2::uuid, $3::uuid, '10.0.0.' || n % 250, ${title}, now() - n * interval '1 second' FROM ${many}`,
    given,
  );
  await t.sql(
    `INSERT INTO notifications (user_id, type, created_at)
     SELECT $2::uuid, (ARRAY['TEST', 'WELCOME', 'ROLES_CHANGED'])[1 + n % 3], now() - n * interval '1 second' FROM ${many}`,
    [rows, userId],
  );
  const named = [rows, organizationId];
  await t.sql(`INSERT INTO units (organization_id, name) SELECT $2::uuid, ${title} FROM ${many}`, named);
  await t.sql(
    `INSERT INTO roles (organization_id, name, permissions) SELECT $2::uuid, ${title}, '{}' FROM ${many}`,
    named,
  );
  await t.sql(
    `INSERT INTO service_accounts (organization_id, name) SELECT $2::uuid, ${title} FROM ${many}`,
    named,
  );
  await t.sql(
    `WITH people AS (
       INSERT INTO users (email, first_name, last_name, language)
       SELECT n || '.' || $2 || '@example.com', 'Bank', 'L' || n, 'EN' FROM ${many} RETURNING id
     ) INSERT INTO memberships (organization_id, user_id, is_deleted)
     SELECT $3::uuid, id, row_number() OVER () % 10 = 0 FROM people`,
    [rows, organizationId.slice(-12), organizationId],
  );
}

beforeAll(async () => {
  await fill(OTHER_ROWS);
  await fill(OWN_ROWS);
  await t.sql("VACUUM ANALYZE");
  // The setting of the `lists` pool in src/platform/db/connection.ts.
  await connection.unsafe("SET plan_cache_mode = force_custom_plan");
});

const ofOrganization = () => ({ organizationId });
const sees = { seesPlatformNotes: false, seesOrganizationNotes: true, found: [] };
const found = { found: [], foundActions: ["UNIT_CREATED"], actions: ["UNIT_CREATED"], max: 1_000 };
const newest = { descending: true, limit: PAGE, offset: 0 };
const todoQueries = [todos.listTodos, todos.countTodos];
const ticketQueries = [tickets.listTickets, tickets.countTickets];
// biome-ignore lint/suspicious/noExplicitAny: queries of any parameters and rows
type List = { table: string; queries: PreparedQuery<any, any>[]; given?: () => object; sort?: string };
const lists: Record<string, List> = {
  todos: { table: "todos", queries: todoQueries },
  "one's own todos": {
    table: "todos",
    queries: todoQueries,
    given: () => ({ organizationId, ownerId: userId }),
  },
  tickets: { table: "tickets", queries: ticketQueries, sort: "lastActivityAt" },
  "one's own tickets": {
    table: "tickets",
    queries: ticketQueries,
    given: () => ({ reporterId: userId }),
    sort: "lastActivityAt",
  },
  members: { table: "memberships", queries: [members.listMembers, members.countMembers], sort: "lastName" },
  invitations: {
    table: "user_invitations",
    queries: [invitations.listInvitations, invitations.countInvitations],
  },
  "audit events": { table: "audit_events", queries: [audit.listEvents, audit.countEvents] },
  notifications: {
    table: "notifications",
    queries: [notifications.listNotifications, notifications.countNotifications],
    given: () => ({ userId }),
  },
  units: { table: "units", queries: [units.listTree] },
  roles: { table: "roles", queries: [roles.listRoles], sort: "name" },
  "service accounts": {
    table: "service_accounts",
    queries: [serviceAccounts.listServiceAccounts, serviceAccounts.countServiceAccounts],
  },
};
/** The statements that a search runs first, to look up ids. */
const lookUps: Record<string, List> = {
  "reporters by email": { table: "memberships", queries: [accounts.listPeopleByEmail] },
  "actors by email": { table: "memberships", queries: [audit.findSearched] },
  "actors by name": { table: "service_accounts", queries: [audit.findSearched] },
  "types of notifications": {
    table: "notifications",
    queries: [notifications.listNotificationTypes],
    given: () => ({ userId }),
  },
};

const planOf = (query: List["queries"][number], given: Record<string, unknown>) =>
  prepared(connection, query.text, (execute) =>
    explain(connection, execute(query.parameters.map((name) => given[name])), "ANALYZE"),
  );

/**
 * Returns the most rows of any table, or entries of an index, that a node of the plans reads, and the most rows of the
 * list's own table that a node removes.
 */
async function reads(list: List, search: string | null) {
  const { table, queries, given = ofOrganization, sort = "createdAt" } = list;
  const values = { ...sees, ...found, ...newest, ...given(), sort, search };
  const read: number[] = [];
  const removed: number[] = [];
  for (const query of queries) {
    const plan = await planOf(query, search === null ? { ...values, foundActions: null } : values);
    const scans = nodesOf(plan).filter((node) => (node["Relation Name"] ?? node["Index Name"]) !== undefined);
    read.push(...scans.map((node) => node["Actual Loops"] * node["Actual Rows"] + removedBy(node)));
    const nodes = scans.filter((node) =>
      (node["Relation Name"] ?? node["Index Name"] ?? "").startsWith(table),
    );
    if (search === null) removed.push(...nodes.map((node) => removedBy(node) - 10 * plan["Actual Rows"]));
  }
  return { read: Math.max(0, ...read), removed: Math.max(0, ...removed) };
}

for (const [name, list] of Object.entries(lists))
  test(`a list and a search of ${name} read no row of another organization`, async () => {
    for (const search of SEARCHES) {
      const { read, removed } = await reads(list, search);
      expect([search, read <= OWN_ROWS + PAGE, removed <= PAGE]).toEqual([search, true, true]);
    }
  });

for (const [name, list] of Object.entries(lookUps))
  test(`a search for ${name} reads no row of another organization`, async () => {
    for (const search of SEARCHES.filter((search) => search !== null)) {
      const { read } = await reads(list, search);
      expect([search, read <= OWN_ROWS + PAGE]).toEqual([search, true]);
    }
  });
