import { addressOf } from "../../support/seeds.ts";
import type { World } from "../world/world.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;
type Row = Record<string, unknown>;

/** Columns that are not compared, because their values are random or times, which differ between any two rounds. */
const IGNORED_COLUMNS = new Set([
  ...["token_hash", "ip", "request_id", "user_agent", "number"],
  ...["code_hash", "sealed_secret", "seq", "version", "issuer", "storage_key", "email_digest", "start"],
  // The units of an event are not compared: they are read when the event is written, after the record, and another
  // commit may come between.
  ...[
    "old_token_hash",
    "new_token_hash",
    "undo_token_hash",
    "credential_id",
    "public_key",
    "digest",
    "undo_until",
  ],
  ...["position", "transaction_id", "reach_paths", "used_from", "used_until"],
]);
/** Columns of which only whether they are null is compared. */
const PRESENCE_COLUMNS = new Set([
  ...["deleted_at", "used_at", "revoked_at", "accepted_at", "read_at", "email_verified_at", "trial_ends_at"],
  ...[
    "redeemed_at",
    "ended_at",
    "spent_at",
    "rotated_at",
    "previous_hash",
    "secret_hash",
    "previous_secret_hash",
  ],
  ...["two_factor_enabled_at", "current_period_end", "last_step", "previous_secret_ends_at"],
]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Tables that have a separate query, or are not compared. Failed attempts are not: they are counted in a separate
 * transaction, before the write. Nor is the day on which a member was active: it is stored with a refresh token, also if the
 * session ends before the refresh responds, which is then 401. Nor is a used challenge of a passkey: it stays used, also if the
 * session ends before the request responds. That it is used once is tested in test/features/passkeys/races.test.ts.
 */
const EXCLUDED_TABLES =
  /^row_count|migrations$|^failed_attempts$|^member_activity$|^webauthn_challenges_used$|^storage_marker$|^audit_(events|unsealed)$|^idempotency_keys$/;

/**
 * Events of sign-ins and of rejected API keys are not compared. They are best effort (rules 16.2, 28.18), so a
 * round can end before or without them.
 */
const IS_COMPARED_EVENT =
  "e.action NOT IN ('LOGIN_SUCCEEDED', 'LOGIN_FAILED', 'REFRESH_TOKEN_REUSED', 'API_KEY_REFUSED')";

/** Separate queries: for rows of several tables, or for only some rows of a table. */
const QUERIES = [
  `SELECT 'audit_events' AS name, to_jsonb(e) AS row FROM audit_events e WHERE ${IS_COMPARED_EVENT}`,
  // When all sessions end, any of their events says how many apps ended with them.
  `SELECT 'apps that ended with sessions', jsonb_build_object('sum', sum((e.metadata ->> 'endedApps')::int)) FROM audit_events e
   WHERE e.action = 'SESSION_REVOKED'`,
  `SELECT 'audit_unsealed', to_jsonb(u) FROM audit_unsealed u JOIN audit_events e ON e.id = u.event_id WHERE ${IS_COMPARED_EVENT}`,
  `SELECT 'totals', jsonb_build_object('list', list, 'owner', owner, 'part', part, 'rows', sum(rows)) FROM (
     SELECT list, owner, part, rows FROM row_counts UNION ALL SELECT list, owner, part, rows FROM row_count_deltas) c
   WHERE list <> 'audit_events' GROUP BY list, owner, part HAVING sum(rows) <> 0`,
  // Digests and stored bodies are left out, because they contain the random ids and times of a round.
  `SELECT 'idempotency_keys', jsonb_build_object('caller', caller_id, 'status', status) FROM idempotency_keys`,
  `SELECT 'jobs', jsonb_build_object('queue', name, 'label', data ->> 'label') FROM pgboss.job WHERE name NOT LIKE '\\_\\_%'`,
];

/** Reads and clears the database of a scenario. */
export class DatabaseState {
  private constructor(
    private readonly sql: Sql,
    private readonly tables: string[],
  ) {}

  static async of(sql: Sql): Promise<DatabaseState> {
    const tables = await sql(
      `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
       WHERE nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
    );
    return new DatabaseState(
      sql,
      tables.map(({ name }) => String(name)).filter((name) => !/migrations$|^storage_marker$/.test(name)),
    );
  }

  /**
   * Deletes all rows of the last round. Triggers are disabled, because one of them prevents deleting audit events.
   */
  async clear(): Promise<void> {
    const deletions = this.tables.map((table) =>
      table === "roles" ? "DELETE FROM roles WHERE organization_id IS NOT NULL" : `DELETE FROM ${table}`,
    );
    await this.sql(
      `BEGIN; SET LOCAL session_replication_role = replica; ${deletions.join("; ")};
       DELETE FROM pgboss.job WHERE name NOT LIKE '\\_\\_%'; COMMIT`,
    );
  }

  /** Reads all rows as sorted lines. Replaces ids by the names of the fixture, so that two rounds can be compared. */
  async read({ names, unique }: World): Promise<string[]> {
    const address = addressOf(unique);
    const tables = this.tables
      .filter((table) => !EXCLUDED_TABLES.test(table))
      .map(
        (table) =>
          `SELECT '${table}', to_jsonb(t) FROM ${table} t${table === "roles" ? " WHERE organization_id IS NOT NULL" : ""}`,
      );
    const rows = await this.sql([...QUERIES, ...tables].join(" UNION ALL "));
    return rows
      .map(({ name, row }) =>
        `${name} ${JSON.stringify(comparableRow(row as Row))}`
          .replaceAll(UUID, (id) => names.get(id) ?? "new")
          .replaceAll(/"mosk_[0-9A-Za-z]{4}"/g, '"start"')
          .replaceAll(/"(\w+At)":"20[^"]*"/g, '"$1":"time"')
          // A key that was rotated without an overlap may be EXPIRED, or still ROTATED at the moment when its event
          // is written.
          .replaceAll(/("action":"SESSION_REVOKED".*"metadata":\{.*?),?"endedApps":\d+/g, "$1")
          .replaceAll(/"status":"(ROTATED|EXPIRED)"/g, '"status":"ending"')
          // The reporter in an event is read after the ticket is locked. The reporter's account may be deleted in
          // between.
          .replaceAll(/"reporter":(null|\{[^}]*\})/g, '"reporter":"any"')
          .replaceAll(/"timestamp":"20[^"]*"/g, '"timestamp":"time"')
          .replaceAll(unique, "U")
          .replaceAll(address, "address")
          .replaceAll(/"(number|auth_time)":\d+/g, '"$1":0'),
      )
      .sort();
  }
}

/** Returns the fields of a row that are equal in any two rounds with the same result. */
function comparableRow(row: Row): Row {
  const fields = Object.entries(row).flatMap(([key, value]): [string, unknown][] => {
    if (IGNORED_COLUMNS.has(key) || value === null) return [];
    if (PRESENCE_COLUMNS.has(key)) return [[key, "set"]];
    if (key === "expires_at") return [[key, new Date(String(value)) < new Date() ? "past" : "future"]];
    if (/_at$|^time$/.test(key)) return [];
    // Spans of time: how many they are and whether the last one is open, not their moments.
    if (key === "without_seat") return [[key, String(value).replaceAll(/"[^"]*"/g, "time")]];
    // The fixture's secrets are no encrypted values.
    if (/^(previous_)?secret$/.test(key)) return [[key, String(value).includes(".") ? "new" : value]];
    // The password hash of the fixture has the minimum cost, while the service hashes new passwords with the
    // standard cost.
    if (key === "password_hash") return [[key, String(value).includes("m=8,") ? "unchanged" : "changed"]];
    return [[key, value]];
  });
  return Object.fromEntries(fields);
}
