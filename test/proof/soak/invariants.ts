import { INVARIANT_VIOLATIONS } from "../../support/invitation-races.ts";
import { WRONG_COUNTS } from "../../support/row-counts.ts";
import type { Effect } from "./work-context.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;

/** The number of seats of each organization. There are few, so that a short run fills them. */
export const SEATS = 16;

/** The maximum number of sessions of a user; the default of `MAX_ACTIVE_SESSIONS_PER_USER`. */
const MAX_SESSIONS = 10;

/**
 * Returns a query that finds rows of a table without exactly one mail, or mails without a row. A row and its mail
 * are written in one transaction, so they have the same time.
 */
const oneMailEach = (rows: string, label: string) => `
  SELECT r.ids AS rows, j.ids AS jobs FROM (SELECT at, array_agg(id) AS ids FROM (${rows}) r GROUP BY at) r
  FULL JOIN (SELECT created_on::timestamptz(3) AS at, array_agg(id) AS ids FROM pgboss.job
    WHERE name = 'mail.send' AND data ->> 'label' LIKE '${label}' GROUP BY 1) j USING (at)
  WHERE cardinality(r.ids) IS DISTINCT FROM cardinality(j.ids)`;

/** Queries that find rows that must never exist, whatever the order of calls and faults. */
const INVARIANTS: Record<string, string> = {
  ...INVARIANT_VIOLATIONS,
  "live sessions without a proof": `SELECT DISTINCT r.session_id FROM refresh_tokens r
    LEFT JOIN session_proofs p USING (session_id)
    WHERE r.revoked_at IS NULL AND r.expires_at > now() AND p.session_id IS NULL`,
  "proofs without a session": `SELECT p.session_id FROM session_proofs p
    LEFT JOIN refresh_tokens r USING (session_id) WHERE r.session_id IS NULL`,
  "tokens with an outdated proof": `SELECT session_id FROM refresh_tokens
    WHERE revoked_at IS NULL AND proof IS DISTINCT FROM session_proof(session_id, session_started_at)`,
  "sessions with two live tokens":
    "SELECT session_id FROM refresh_tokens WHERE revoked_at IS NULL GROUP BY session_id HAVING count(*) > 1",
  "active sessions of deleted users": `SELECT r.id FROM refresh_tokens r JOIN users u ON u.id = r.user_id WHERE u.is_deleted`,
  "units without exactly one event": `SELECT u.id FROM units u LEFT JOIN audit_events e ON e.target_id = u.id
    AND e.action = 'UNIT_CREATED' WHERE u.created_at > '2026-01-02' GROUP BY u.id HAVING count(e.id) <> 1`,
  "events of units that do not exist": `SELECT e.id FROM audit_events e LEFT JOIN units u ON u.id = e.target_id
    WHERE e.action = 'UNIT_CREATED' AND u.id IS NULL`,
  "roles without exactly one event": `SELECT r.id FROM roles r LEFT JOIN audit_events e ON e.target_id = r.id
    AND e.action = 'ROLE_CREATED' WHERE r.organization_id IS NOT NULL AND r.created_at > '2026-01-02' GROUP BY r.id HAVING count(e.id) <> 1`,
  "tickets without a message": `SELECT t.id FROM tickets t LEFT JOIN ticket_messages m ON m.ticket_id = t.id
    GROUP BY t.id HAVING count(m.id) = 0`,
  "tickets whose replies of staff and notifications of the reporter differ in number": `SELECT t.id FROM tickets t
    WHERE (SELECT count(*) FROM ticket_messages m WHERE m.ticket_id = t.id AND m.staff_scope IS NOT NULL AND NOT m.internal)
      <> (SELECT count(*) FROM notifications n WHERE n.type = 'HELPDESK_STAFF_REPLIED' AND n.data ->> 'ticketId' = t.id::text)`,
  "people whose changes of roles differ in number between events and notifications": `SELECT u.id FROM users u
    WHERE (SELECT count(*) FROM notifications n WHERE n.user_id = u.id AND n.type = 'ROLES_CHANGED')
      <> (SELECT count(*) FROM audit_events e WHERE e.target_id = u.id AND e.action = 'MEMBER_ROLES_CHANGED')`,
  "organizations whose subscription events do not follow on each other": `WITH steps AS (
      SELECT organization_id, metadata -> 'to' AS state, 1 AS step FROM audit_events WHERE action = 'SUBSCRIPTION_CHANGED'
      UNION ALL
      SELECT organization_id, metadata -> 'from', -1 FROM audit_events WHERE action = 'SUBSCRIPTION_CHANGED'
    ), ends AS (SELECT organization_id, state, sum(step) AS steps FROM steps GROUP BY 1, 2 HAVING sum(step) <> 0)
    SELECT e.organization_id FROM ends e JOIN organization_subscriptions s USING (organization_id)
    WHERE NOT (e.steps = -1 AND e.state = 'null' OR e.steps = 1 AND e.state ->> 'status' = s.status)`,
  "resets of passwords without exactly one mail": oneMailEach(
    "SELECT created_at AS at, id FROM password_reset_tokens",
    "passwordReset",
  ),
  "mails of tickets without exactly one job": oneMailEach(
    "SELECT sent_at AS at, ticket_id AS id FROM ticket_mails",
    "helpdesk%",
  ),
  "people with more sessions than the cap": `SELECT user_id, count(*)::int AS sessions FROM refresh_tokens
    WHERE revoked_at IS NULL AND expires_at > now() GROUP BY user_id HAVING count(*) > ${MAX_SESSIONS}`,
  "memberships with an outdated name": `SELECT m.id, m.sort_name, u.last_name FROM memberships m
    JOIN users u ON u.id = m.user_id
    WHERE (m.sort_name, m.sort_email, m.search_text)
      IS DISTINCT FROM (search_fold(u.last_name), u.email, search_text_of_person(u.first_name, u.last_name, u.email))`,
  "people above a plan's seats": `SELECT o.id FROM organizations o WHERE
    (SELECT count(*) FROM memberships m WHERE m.organization_id = o.id AND NOT m.is_deleted)
    + (SELECT count(*) FROM pending_invitations i WHERE i.organization_id = o.id AND i.is_usable) > ${SEATS}`,
  "wrong totals": WRONG_COUNTS,
};

/** Queries that find the effects of each kind; they are counted by their texts. */
const EFFECT_QUERIES: Record<Effect["kind"], string> = {
  todo: "SELECT title AS text, count(*)::int FROM todos GROUP BY 1",
  unit: "SELECT name AS text, count(*)::int FROM units GROUP BY 1",
  role: "SELECT name AS text, count(*)::int FROM roles GROUP BY 1",
  message: "SELECT body AS text, count(*)::int FROM ticket_messages GROUP BY 1",
  notification: "SELECT id::text AS text, 1 AS count FROM notifications",
};

/** Returns the violated invariants as texts: those whose query finds a row. */
export async function violationsOf(sql: Sql, invariants: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (const [what, query] of Object.entries(invariants)) {
    const rows = await sql(query);
    if (rows.length > 0) found.push(`${rows.length} ${what}: ${JSON.stringify(rows[0])}`);
  }
  return found;
}

/** Returns the violated invariants of the database, and effects that are lost or doubled. */
export async function databaseViolations(sql: Sql, effects: Effect[]): Promise<string[]> {
  const found = await violationsOf(sql, INVARIANTS);
  for (const [kind, query] of Object.entries(EFFECT_QUERIES)) {
    const counts = new Map((await sql(query)).map(({ text, count }) => [text, Number(count)]));
    for (const { text, isConfirmed } of effects.filter((effect) => effect.kind === kind)) {
      const count = counts.get(text) ?? 0;
      if (count > 1) found.push(`doubled ${kind}: ${text} exists ${count} times`);
      if (count === 0 && isConfirmed) found.push(`lost ${kind}: ${text} returned 201 and does not exist`);
    }
  }
  return found;
}

const COUNTED = ["todos", "units", "audit_events", "notifications", "ticket_messages", "refresh_tokens"];

/** Compares the numbers of rows of the replica and the primary, after the replica has caught up. */
export async function replicaViolations(sql: Sql, replicaSql: Sql): Promise<string[]> {
  const counts = COUNTED.map((table) => `SELECT '${table}' AS name, count(*)::int FROM ${table}`).join(
    " UNION ALL ",
  );
  const [{ written } = { written: "" }] = await sql("SELECT pg_current_wal_flush_lsn()::text AS written");
  const wanted = await sql(counts);
  for (let tries = 0; ; tries += 1) {
    const [row] = await replicaSql(`SELECT pg_last_wal_replay_lsn() >= '${written}' AS caught_up`);
    if (row?.caught_up) break;
    if (tries > 300) return ["the replica does not catch up"];
    await Bun.sleep(100);
  }
  const there = new Map((await replicaSql(counts)).map(({ name, count }) => [name, Number(count)]));
  return wanted.flatMap(({ name, count }) =>
    there.get(name) === Number(count)
      ? []
      : `${there.get(name)} ${name} on the replica, ${count} on the primary`,
  );
}

/** Finds objects without a row and rows without an object, after abandoned uploads were deleted. */
export async function storageViolations(sql: Sql, keys: string[]): Promise<string[]> {
  const rows = await sql("SELECT storage_key AS key FROM ticket_attachments WHERE NOT is_deleted");
  const known = new Set(rows.map(({ key }) => String(key)));
  const stored = new Set(keys);
  return [
    ...keys.filter((key) => !known.has(key)).map((key) => `an object without a row: ${key}`),
    ...[...known].filter((key) => !stored.has(key)).map((key) => `a row without an object: ${key}`),
  ];
}
