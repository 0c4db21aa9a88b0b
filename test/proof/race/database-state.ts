import { addressOf } from "../../support/seeds.ts";
import type { Fixture } from "./fixture.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;
type Row = Record<string, unknown>;

/** Columns that are not compared, because their values are random or times and differ between any two rounds. */
const IGNORED_COLUMNS = new Set([
  ...["token_hash", "ip", "request_id", "user_agent", "number"],
  ...["code_hash", "sealed_secret", "seq", "version", "issuer", "storage_key", "email_digest", "start"],
  // The units of an event are read when it is written, after the record that it describes: another commit may lie between.
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
/** Columns of which only nullness is compared. */
const PRESENCE_COLUMNS = new Set([
  ...["deleted_at", "used_at", "revoked_at", "accepted_at", "read_at", "email_verified_at", "trial_ends_at"],
  ...["two_factor_enabled_at", "current_period_end", "last_step", "previous_secret_ends_at"],
]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Tables that are read by their own query, or not compared: failed attempts are counted in a separate transaction, before the write. */
const EXCLUDED_TABLES =
  /^row_count|migrations$|^failed_attempts$|^storage_marker$|^audit_(events|unsealed)$|^idempotency_keys$/;

/** Events of sign-ins and of rejected API keys. They are best effort (rules 16.2, 28.18), so a round can end before or without them, and they are not compared. */
const IS_COMPARED_EVENT =
  "e.action NOT IN ('LOGIN_SUCCEEDED', 'LOGIN_FAILED', 'REFRESH_TOKEN_REUSED', 'API_KEY_REFUSED')";

/** Queries for rows that are not read table by table: those of several tables, or only some rows of a table. */
const QUERIES = [
  `SELECT 'audit_events' AS name, to_jsonb(e) AS row FROM audit_events e WHERE ${IS_COMPARED_EVENT}`,
  `SELECT 'audit_unsealed', to_jsonb(u) FROM audit_unsealed u JOIN audit_events e ON e.id = u.event_id WHERE ${IS_COMPARED_EVENT}`,
  `SELECT 'totals', jsonb_build_object('list', list, 'owner', owner, 'part', part, 'rows', sum(rows)) FROM (
     SELECT list, owner, part, rows FROM row_counts UNION ALL SELECT list, owner, part, rows FROM row_count_deltas) c
   WHERE list <> 'audit_events' GROUP BY list, owner, part HAVING sum(rows) <> 0`,
  // Digests and stored bodies have the random ids and times of a round.
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

  /** Deletes all rows of the last round. Triggers are off, because one of them refuses to delete audit events. */
  async clear(): Promise<void> {
    const deletions = this.tables.map((table) =>
      table === "roles" ? "DELETE FROM roles WHERE organization_id IS NOT NULL" : `DELETE FROM ${table}`,
    );
    await this.sql(
      `BEGIN; SET LOCAL session_replication_role = replica; ${deletions.join("; ")};
       DELETE FROM pgboss.job WHERE name NOT LIKE '\\_\\_%'; COMMIT`,
    );
  }

  /** Reads all rows as sorted lines. Ids are replaced by the names of the fixture, so that two rounds can be compared. */
  async read({ names, unique }: Fixture): Promise<string[]> {
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
          // A key that was rotated without an overlap is EXPIRED or still ROTATED at the moment at which its event is written.
          .replaceAll(/"status":"(ROTATED|EXPIRED)"/g, '"status":"ending"')
          // The reporter in an event is read after the ticket is locked: their account may be deleted in between.
          .replaceAll(/"reporter":(null|\{[^}]*\})/g, '"reporter":"any"')
          .replaceAll(/"timestamp":"20[^"]*"/g, '"timestamp":"time"')
          .replaceAll(unique, "U")
          .replaceAll(address, "address")
          .replaceAll(/"(number|auth_time)":\d+/g, '"$1":0'),
      )
      .sort();
  }
}

/** Returns the fields of a row that are the same in any two rounds with the same result. */
function comparableRow(row: Row): Row {
  const fields = Object.entries(row).flatMap(([key, value]): [string, unknown][] => {
    if (IGNORED_COLUMNS.has(key) || value === null) return [];
    if (PRESENCE_COLUMNS.has(key)) return [[key, "set"]];
    if (key === "expires_at") return [[key, new Date(String(value)) < new Date() ? "past" : "future"]];
    if (/_at$|^time$/.test(key)) return [];
    // The fixture's secrets are no encrypted values.
    if (/^(previous_)?secret$/.test(key)) return [[key, String(value).includes(".") ? "new" : value]];
    // The fixture's hash has the minimum cost; the service hashes new passwords at the standard cost.
    if (key === "password_hash") return [[key, String(value).includes("m=8,") ? "unchanged" : "changed"]];
    return [[key, value]];
  });
  return Object.fromEntries(fields);
}
