import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as tickets from "#sql/helpdesk/tickets";
import * as invitations from "#sql/invitations";
import * as members from "#sql/members";
import * as todos from "#sql/todos";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";

/*
 * A search reads only rows of the caller's organization, however many rows other organizations have. This holds
 * whether the searched word is rare, frequent, absent, or too short for trigrams.
 */

const t = await startService();
const connection = new SQL({ url: t.databaseUrl, max: 1 });
afterAll(() => connection.close());

const OWN_ROWS = 500;
const OTHER_ROWS = 20_000;
const PAGE = 20;
const SEARCHES = ["bank", "00000777", "zebra", "zq", "example.com"];
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
    `WITH people AS (
       INSERT INTO users (email, first_name, last_name, language)
       SELECT n || '.' || $2 || '@example.com', 'Bank', 'L' || n, 'EN' FROM ${many} RETURNING id
     ) INSERT INTO memberships (organization_id, user_id) SELECT $3::uuid, id FROM people`,
    [rows, organizationId.slice(-12), organizationId],
  );
}

beforeAll(async () => {
  await fill(OTHER_ROWS);
  await fill(OWN_ROWS);
  await t.sql("VACUUM ANALYZE");
  // The settings of the `customPlans` pool in src/platform/db/connection.ts.
  await connection.unsafe("SET plan_cache_mode = force_custom_plan; SET random_page_cost = 1.1");
}, 120_000);

const scope = () => ({ organizationId, seesPlatformNotes: false, seesOrganizationNotes: true, found: [] });
const window = { descending: true, limit: PAGE, offset: 0 };
const lists = {
  todos: { table: "todos", queries: [todos.listTodos, todos.countTodos], sort: "createdAt" },
  tickets: { table: "tickets", queries: [tickets.listTickets, tickets.countTickets], sort: "lastActivityAt" },
  members: { table: "memberships", queries: [members.listMembers, members.countMembers], sort: "lastName" },
  invitations: {
    table: "user_invitations",
    queries: [invitations.listInvitations, invitations.countInvitations],
    sort: "createdAt",
  },
};

type Plan = { "Relation Name"?: string; "Actual Rows": number; "Actual Loops": number; Plans?: Plan[] } & {
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  return Array.isArray(value) ? `'{${value.join()}}'` : `'${value}'`;
}

for (const [name, { table, queries, sort }] of Object.entries(lists))
  test(`a search of ${name} reads no row of another organization`, async () => {
    for (const { text, parameters } of queries)
      for (const search of SEARCHES) {
        const given: Record<string, unknown> = { ...scope(), ...window, sort, search };
        await connection.unsafe(`PREPARE asked AS ${text}`);
        const [row] = await connection.unsafe(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked (${parameters.map((one) => literal(given[one])).join()})`,
        );
        await connection.unsafe("DEALLOCATE asked");
        const read = nodesOf(row["QUERY PLAN"][0].Plan)
          .filter((node) => node["Relation Name"] === table)
          .map(
            (node) =>
              node["Actual Loops"] *
              (node["Actual Rows"] +
                (node["Rows Removed by Filter"] ?? 0) +
                (node["Rows Removed by Index Recheck"] ?? 0)),
          );
        expect([search, Math.max(...read) <= OWN_ROWS + PAGE]).toEqual([search, true]);
      }
  });
