const PEOPLE = `INSERT INTO users (email, first_name, last_name, language)
  SELECT gen_random_uuid() || '@example.com', 'Ada', 'Lovelace', 'EN' FROM generate_series(1, $1::int)`;

/**
 * Statements that insert `$1` rows into a counted table, for an organization `$2` and a user `$3` if the table has
 * them.
 */
export const INSERT_SQL = {
  users: PEOPLE,
  organizations: `INSERT INTO organizations (name, slug)
    SELECT 'Counted', 'counted-' || gen_random_uuid() FROM generate_series(1, $1::int)`,
  // Each row is of a new user, so that no two transactions wait for each other.
  memberships: `WITH person AS (${PEOPLE} RETURNING id)
    INSERT INTO memberships (organization_id, user_id) SELECT $2::uuid, id FROM person`,
  todos: `INSERT INTO todos (organization_id, user_id, title)
    SELECT $2::uuid, $3::uuid, 'Count' FROM generate_series(1, $1::int)`,
  tickets: `INSERT INTO tickets (subject, category, organization_id, reporter_id)
    SELECT 'Count', 'BUG', CASE WHEN n % 2 = 0 THEN $2::uuid END, $3::uuid FROM generate_series(1, $1::int) n`,
  notifications: `INSERT INTO notifications (user_id, type, read_at, is_deleted)
    SELECT $2::uuid, 'TEST', CASE WHEN n % 3 = 0 THEN now() END, n % 4 = 0 FROM generate_series(1, $1::int) n`,
  audit_events: `INSERT INTO audit_events (action, organization_id)
    SELECT 'COUNTED', CASE WHEN n % 3 > 0 THEN $2::uuid END FROM generate_series(1, $1::int) n`,
} as const;

/** Returns a statement with its parameters, because PostgreSQL rejects unused ones. */
export const insertion = (
  table: keyof typeof INSERT_SQL,
  many: number,
  organizationId: string,
  userId: string,
) => {
  const text = INSERT_SQL[table];
  const owner = table === "notifications" ? userId : organizationId;
  return [
    text,
    [many, owner, userId].slice(0, text.includes("$3") ? 3 : text.includes("$2") ? 2 : 1),
  ] as const;
};

/** Counts the actual rows of counted lists, in the same groups as the stored totals. */
const ACTUAL = `
  SELECT list, owner, part, count(*)::int AS rows
  FROM (
    SELECT 'audit_events' AS list, organization_id AS owner, NULL::uuid AS part FROM audit_events
    UNION ALL SELECT 'memberships', organization_id, NULL FROM memberships WHERE NOT is_deleted
    UNION ALL SELECT 'todos', organization_id, user_id FROM todos WHERE NOT is_deleted
    UNION ALL SELECT 'tickets', organization_id, NULL FROM tickets WHERE NOT is_deleted
    UNION ALL SELECT 'reported_tickets', reporter_id, NULL FROM tickets WHERE NOT is_deleted
    UNION ALL SELECT 'notifications', user_id, NULL FROM notifications WHERE NOT is_deleted
    UNION ALL SELECT 'unread_notifications', user_id, NULL FROM notifications WHERE NOT is_deleted AND read_at IS NULL
    UNION ALL SELECT 'users', NULL, NULL FROM users WHERE NOT is_deleted
    UNION ALL SELECT 'organizations', NULL, NULL FROM organizations WHERE NOT is_deleted
    UNION ALL SELECT 'pending_deliveries', endpoint_id, NULL FROM webhook_deliveries WHERE state = 'PENDING' AND next_attempt_at IS NOT NULL
  ) row
  GROUP BY GROUPING SETS ((list, owner, part), (list, owner), (list))
  HAVING (GROUPING(owner) = 1 OR owner IS NOT NULL) AND (GROUPING(part) = 1 OR part IS NOT NULL)`;

const COUNTED = `
  SELECT list, owner, part, sum(rows)::int AS rows FROM counted_rows GROUP BY list, owner, part HAVING sum(rows) <> 0`;

/** Returns the totals that differ from the actual counts. It is one statement, so it has one snapshot. */
export const WRONG_COUNTS = `
  WITH actual AS (${ACTUAL}), counted AS (${COUNTED})
  (SELECT 'is' AS what, * FROM actual EXCEPT SELECT 'is', * FROM counted)
  UNION ALL
  (SELECT 'counted' AS what, * FROM counted EXCEPT SELECT 'counted', * FROM actual)`;
