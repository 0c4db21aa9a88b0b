import * as rowCounts from "#sql/row-counts";
import { exactlyOne } from "../../../src/platform/db/prepared-query.ts";
import type { Service } from "../../support/service.ts";

/** A database connection or a transaction. */
export type Database = Pick<Service, "sql">;

/**
 * The number of sub-units on each level: a root has two, each of these has three, and so on. That makes 153 units
 * per root.
 */
const CHILDREN = [2, 3, 4, 5];
export type Seeded = {
  id: string;
  /** Returns units of the third level by name. Each covers 25 units. */
  thirdLevel: string[];
};

type Size = { organizations: number; members: number; roots: number; loneUnits: number };

/** The largest organization for which response times are guaranteed: 2,000 units in five levels. */
export const BIG: Size = { organizations: 1, members: 50_000, roots: 13, loneUnits: 11 };
export const MEDIUM: Size = { organizations: 1, members: 1_000, roots: 13, loneUnits: 11 };
/** The size of the other organizations. They make the measured organization a small part of every table. */
export const OTHER_ORGANIZATIONS: Size = { organizations: 200, members: 100, roots: 0, loneUnits: 10 };
/** The size of organizations without members. */
export const EMPTY: Size = { organizations: 10_000, members: 0, roots: 0, loneUnits: 10 };

/** Seeds one organization. */
export async function seedOne(t: Database, size: Size): Promise<Seeded> {
  return exactlyOne(await seed(t, { ...size, organizations: 1 }));
}

const FIRST_NAMES =
  "Ada Grace Alan Barbara Edsger Frances Donald Radia Niklaus Katherine Ελένη Γιώργος Μαρία";
const LAST_NAMES =
  "Lovelace Hopper Turing Liskov Dijkstra Allen Knuth Perlman Wirth Johnson Müller Παπαδόπουλος Νικολάου";

/**
 * Adds members and units to organizations by bulk statements, without requests.
 * - Members have names; most have two units. There is a tree of units.
 * - All members have the role MEMBER, the first ORG_ADMIN, and every twentieth UNIT_ADMIN in a unit. Each has a
 *   session. Every fiftieth membership has ended.
 * - Choices depend only on numbers, so that each run has the same data.
 *
 * Call `settle` after the last organization.
 */
export async function seed(
  t: Database,
  { organizations, members, roots, loneUnits }: Size,
): Promise<Seeded[]> {
  const mark = `seed${crypto.randomUUID().slice(0, 8)}`;
  await t.sql(
    `INSERT INTO organizations (name, slug)
     SELECT 'Seeded ' || $1 || ' ' || n, $1 || '-' || n FROM generate_series(1, $2::int) n`,
    [mark, organizations],
  );
  await t.sql(
    `INSERT INTO users (email, first_name, last_name, language, email_verified_at, created_at)
     SELECT $1 || '-' || o || '.' || n || '@example.com', ($4::text[])[1 + n % cardinality($4::text[])],
       ($5::text[])[1 + (n / 7) % cardinality($5::text[])] || ' ' || to_char(n * 7919 % 100000, 'FM00000'),
       'EN', now(), now() - n * interval '1 minute'
     FROM generate_series(1, $2::int) o, generate_series(1, $3::int) n`,
    [mark, organizations, members, FIRST_NAMES.split(" "), LAST_NAMES.split(" ")],
  );
  // Updates statistics: without statistics of the new rows, the following joins may take minutes.
  await t.sql("ANALYZE organizations, users");
  await t.sql(
    `INSERT INTO memberships (organization_id, user_id, joined_at, is_deleted)
     SELECT o.id, u.id, u.created_at, split_part(split_part(u.email, '.', 2), '@', 1)::int % 50 = 0
     FROM users u JOIN organizations o ON o.slug = split_part(u.email, '.', 1)
     WHERE u.email LIKE $1 || '-%'`,
    [mark],
  );
  await t.sql("ANALYZE memberships");
  await seedUnits(t, { mark, roots, loneUnits });
  await t.sql("ANALYZE units");
  await Promise.all([seedOrganizations(t, mark), seedSessions(t, mark), seedRoles(t, mark)]);
  return t.sql<Seeded>(
    `SELECT o.id, COALESCE(third.ids, '{}') AS "thirdLevel"
     FROM organizations o LEFT JOIN (
       SELECT organization_id, array_agg(id ORDER BY name) AS ids
       FROM units WHERE name ~ '^Unit \\d+\\.\\d+\\.\\d+$' GROUP BY organization_id
     ) third ON third.organization_id = o.id
     WHERE o.slug LIKE $1 || '-%' ORDER BY o.slug`,
    [mark],
  );
}

/** Units are named after their place: `Unit 3.1.2` is on the third level. */
async function seedUnits(
  t: Database,
  { mark, roots, loneUnits }: { mark: string; roots: number; loneUnits: number },
): Promise<void> {
  await t.sql(
    `INSERT INTO units (organization_id, name)
     SELECT o.id, CASE WHEN n <= $2::int THEN 'Unit ' ELSE 'Alone ' END || n
     FROM organizations o, generate_series(1, $2::int + $3::int) n WHERE o.slug LIKE $1 || '-%'`,
    [mark, roots, loneUnits],
  );
  for (const [level, children] of CHILDREN.entries()) {
    await t.sql(
      `INSERT INTO units (organization_id, parent_id, name)
       SELECT above.organization_id, above.id, above.name || '.' || n
       FROM units above JOIN organizations o ON o.id = above.organization_id, generate_series(1, $2::int) n
       WHERE o.slug LIKE $1 || '-%' AND above.name ~ ('^Unit \\d+(\\.\\d+){' || $3::int || '}$')`,
      [mark, children, level],
    );
  }
}

/** Updates statistics and the visibility map, as autovacuum would do later. */
export async function settle(t: Database): Promise<void> {
  // Merges the row counts, as the service's maintenance job does.
  await rowCounts.mergeDeltas.run({ max: 100_000_000 }, { query: (text, values) => t.sql(text, values) });
  await t.sql("VACUUM ANALYZE");
}

const LIVE = `SELECT m.id, m.user_id, m.organization_id
  FROM memberships m JOIN organizations o ON o.id = m.organization_id
  WHERE o.slug LIKE $1 || '-%' AND NOT m.is_deleted`;

/** Assigns units and roles to all members. */
async function seedOrganizations(t: Database, mark: string): Promise<void> {
  await t.sql(
    `INSERT INTO membership_units (membership_id, unit_id, is_deleted)
     SELECT m.id, place.ids[1 + abs(hashtext(m.sort_email || n)) % cardinality(place.ids)], m.is_deleted
     FROM memberships m JOIN (
       SELECT u.organization_id, array_agg(u.id ORDER BY u.name) AS ids
       FROM units u JOIN organizations o ON o.id = u.organization_id
       WHERE o.slug LIKE $1 || '-%' GROUP BY u.organization_id
     ) place USING (organization_id), generate_series(1, 2) n
     ON CONFLICT DO NOTHING`,
    [mark],
  );
  await t.sql(
    `INSERT INTO membership_assignments (membership_id, role_id)
     SELECT live.id, r.id FROM (${LIVE}) live, roles r WHERE r.organization_id IS NULL AND r.name = 'MEMBER'`,
    [mark],
  );
  await t.sql(
    `INSERT INTO membership_assignments (membership_id, role_id)
     SELECT live.id, r.id FROM (${LIVE}) live JOIN memberships m USING (id), roles r
     WHERE m.sort_email LIKE '%.1@example.com' AND r.organization_id IS NULL AND r.name = 'ORG_ADMIN'`,
    [mark],
  );
  await t.sql(
    `INSERT INTO membership_assignments (membership_id, role_id, unit_id)
     SELECT mu.membership_id, r.id, mu.unit_id
     FROM (${LIVE}) live JOIN membership_units mu ON mu.membership_id = live.id, roles r
     WHERE r.organization_id IS NULL AND r.name = 'UNIT_ADMIN' AND abs(hashtext(mu.id::text)) % 40 = 0`,
    [mark],
  );
}

async function seedSessions(t: Database, mark: string): Promise<void> {
  await t.sql(
    `INSERT INTO refresh_tokens (session_id, user_id, token_hash, organization_id, expires_at)
     SELECT live.id, live.user_id, live.id, live.organization_id, now() + interval '7 days' FROM (${LIVE}) live`,
    [mark],
  );
}

async function seedRoles(t: Database, mark: string): Promise<void> {
  await t.sql(
    `INSERT INTO roles (organization_id, name, permissions)
     SELECT o.id, 'Planner', '{Members.Read}' FROM organizations o WHERE o.slug LIKE $1 || '-%'`,
    [mark],
  );
}
