import { MEMBER, ORG_ADMIN } from "../../../src/core/access/catalog.ts";
import { type Database, seed, settle } from "./seed.ts";
import { type Organization, seedOrganization } from "./world.ts";

/**
 * The id of the measured organization's administrator, who has as many notifications as the organization has todos.
 */
export type Tenant = { userId: string; organization: Organization };

const UNITS = 100;
/** The texts with which titles begin. A search for one of them matches a third of the rows. */
const TITLES = ["Water the plants", "Call the bank", "Write the report"];

/** Seeds a hundred other organizations, which together have this number of rows of each kind. */
export async function seedNeighbours(db: Database, rows: number, { organization }: Tenant): Promise<void> {
  if (rows === 0) return;
  const others = `memberships WHERE organization_id <> '${organization.id}'`;
  await withoutIndexes(db, async () => {
    await seed(db, { organizations: 100, members: rows / 100, roots: 0, loneUnits: 10 });
    await seedRecords(db, `FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM ${others}) m`);
    await seedNotifications(db, `FROM (SELECT * FROM ${others}) m`);
  });
}

/**
 * Seeds an organization with this number of members, todos, audit events and tickets, and a user with this number
 * of notifications.
 */
export async function seedTenant(db: Database, size: number): Promise<Tenant> {
  const organization = await seedOrganization(db, "tenant");
  return withoutIndexes(db, async () => {
    await seedMembers(db, organization.id, size);
    const [reader] = await db.sql<{ id: string }>(
      `INSERT INTO membership_assignments (membership_id, role_id)
       SELECT id, $1 FROM memberships WHERE organization_id = $2 ORDER BY id LIMIT 1
       RETURNING (SELECT user_id FROM memberships m WHERE m.id = membership_id) AS id`,
      [ORG_ADMIN.id, organization.id],
    );
    const userId = reader?.id ?? "";
    // Each member has one row of each kind, with the member's number in the title.
    const members = `FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM memberships WHERE organization_id = '${organization.id}') m`;
    await seedRecords(db, members);
    await seedNotifications(
      db,
      `FROM (SELECT '${userId}'::uuid AS user_id FROM generate_series(1, ${size})) m`,
    );
    return { userId, organization };
  });
}

async function seedMembers(db: Database, organizationId: string, size: number): Promise<void> {
  await db.sql(
    `INSERT INTO users (email, first_name, last_name, language, email_verified_at, created_at)
     SELECT 'tenant.' || to_char(n, 'FM0000000') || '@example.com', ($2::text[])[1 + n % 4],
       ($3::text[])[1 + n / 4 % 3] || ' ' || to_char(n * 7919::bigint % 100000, 'FM00000'), 'EN', now(), now()
     FROM generate_series(1, $1::int) n`,
    [size, ["Ada", "Grace", "Alan", "Ελένη"], ["Lovelace", "Hopper", "Turing"]],
  );
  await db.sql("ANALYZE users");
  await db.sql(
    `INSERT INTO memberships (organization_id, user_id, joined_at)
     SELECT $1, id, now() - row_number() OVER (ORDER BY email) * interval '1 minute' FROM users WHERE email LIKE 'tenant.%'`,
    [organizationId],
  );
  await db.sql("ANALYZE memberships");
  await db.sql(
    `INSERT INTO membership_assignments (membership_id, role_id) SELECT id, $1 FROM memberships WHERE organization_id = $2`,
    [MEMBER.id, organizationId],
  );
  await db.sql(
    `WITH places AS (
       INSERT INTO units (organization_id, name) SELECT $1, 'Unit ' || n FROM generate_series(0, $2::int - 1) n RETURNING id, name)
     INSERT INTO membership_units (membership_id, unit_id)
     SELECT m.id, places.id FROM (SELECT id, row_number() OVER () AS n FROM memberships WHERE organization_id = $1) m
     JOIN places ON places.name = 'Unit ' || n % $2`,
    [organizationId, UNITS],
  );
}

/**
 * Inserts a todo, an audit event, an invitation and a ticket with a message for each row of memberships `m` and numbers
 * `n`.
 */
async function seedRecords(db: Database, members: string): Promise<void> {
  const title = `($1::text[])[1 + n % 3] || ' ' || to_char(n, 'FM0000000')`;
  await db.sql(
    `INSERT INTO todos (organization_id, user_id, title, completed, created_at)
     SELECT m.organization_id, m.user_id, ${title}, n % 3 = 0, now() - n * interval '1 minute' ${members}`,
    [TITLES],
  );
  await db.sql(
    `INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, ip, request_id, time, subject_user_id)
     SELECT ($1::text[])[1 + n % 3], m.user_id, 'user', m.user_id, m.organization_id, '10.0.' || n % 200 || '.' || n % 250,
       'request-' || to_char(n, 'FM0000000'), now() - n * interval '1 minute', m.user_id ${members}`,
    [["MEMBER_ROLES_CHANGED", "MEMBER_UNITS_CHANGED", "ORGANIZATION_SWITCHED"]],
  );
  await db.sql(
    `INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id, created_at)
     SELECT m.organization_id, ($1::text[])[1 + n % 3] || '.' || to_char(n, 'FM0000000') || '@example.net', 'EN', gen_random_uuid(),
       now() + interval '1 day', m.user_id, now() - n * interval '1 minute' ${members}`,
    [["hopper", "lovelace", "turing"]],
  );
  await db.sql(
    `WITH written AS (
       INSERT INTO tickets (subject, category, status, organization_id, reporter_id, created_at, last_activity_at)
       SELECT ${title}, 'QUESTION', CASE n % 4 WHEN 0 THEN 'OPEN' ELSE 'CLOSED' END, m.organization_id, m.user_id,
         now() - n * interval '1 minute', now() - n * interval '1 minute' ${members}
       RETURNING id, reporter_id, created_at)
     INSERT INTO ticket_messages (ticket_id, author_id, body, internal, created_at)
     SELECT id, reporter_id, 'Since this morning.', false, created_at FROM written`,
    [TITLES],
  );
}

/** Inserts a notification for each row of `m`; ten of them contain the rare search term. */
async function seedNotifications(db: Database, members: string): Promise<void> {
  await db.sql(
    `INSERT INTO notifications (user_id, type, data, read_at, created_at)
     SELECT user_id, CASE WHEN n <= 10 THEN 'SIGN_IN_METHOD_ADDED' WHEN n % 3 = 0 THEN 'WELCOME' ELSE 'ROLES_CHANGED' END, '{}',
       CASE WHEN n > 50 THEN now() END, now() - n * interval '1 minute'
     FROM (SELECT user_id, row_number() OVER () AS n ${members}) given`,
  );
}

/** Indexes without constraints are created after the inserts, which are then many times as fast. */
async function withoutIndexes<Result>(db: Database, work: () => Promise<Result>): Promise<Result> {
  const indexes = await db.sql<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = 'public'::regnamespace AND NOT relispartition
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
  );
  for (const { name } of indexes) await db.sql(`DROP INDEX ${name}`);
  const result = await work();
  // For a partitioned table, the definition in pg_indexes leaves out the partitions (ON ONLY), so these two words
  // are removed.
  for (const { definition } of indexes) await db.sql(definition.replace(" ON ONLY ", " ON "));
  await settle(db);
  return result;
}
