import { addressOf } from "../../support/seeds.ts";
import type { World } from "./world.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;

/** Columns that differ between two rounds without a meaning: random values and the clock. */
const LEFT_OUT = new Set([
  ...["token_hash", "ip", "request_id", "user_agent", "number"],
  ...["code_hash", "sealed_secret", "seq", "version", "issuer", "storage_key", "email_digest"],
]);
/** Times that say by their presence that something happened. */
const TIMES = new Set([
  ...["deleted_at", "used_at", "revoked_at", "accepted_at", "read_at", "email_verified_at", "trial_ends_at"],
  ...["two_factor_enabled_at", "current_period_end", "last_step"],
]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Tables that are compared otherwise, or not at all: attempts are counted in a transaction of their own, before the write. */
const OTHER_TABLES = /^row_count|migrations$|^failed_attempts$|^storage_marker$/;

/** Reads and empties the database of a round. */
export class State {
  private constructor(
    private readonly sql: Sql,
    private readonly tables: string[],
  ) {}

  static async of(sql: Sql): Promise<State> {
    const found = await sql(
      `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
       WHERE nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
    );
    const names = found.map(({ name }) => String(name));
    return new State(
      sql,
      names.filter((name) => !OTHER_TABLES.test(name)),
    );
  }

  /** Deletes every row of the last round; audit events refuse that but for a replica. */
  async clear(): Promise<void> {
    const all = [...this.tables, "failed_attempts", "row_counts", "row_count_deltas"].map((table) =>
      table === "roles" ? "DELETE FROM roles WHERE organization_id IS NOT NULL" : `DELETE FROM ${table}`,
    );
    await this.sql(
      `BEGIN; SET LOCAL session_replication_role = replica; ${all.join("; ")};
       DELETE FROM pgboss.job WHERE name NOT LIKE '\\_\\_%'; COMMIT`,
    );
  }

  /** All rows as sorted lines, in which ids have the names of the world, so that two rounds can be compared. */
  async read({ names, unique }: World): Promise<string[]> {
    const address = addressOf(unique);
    const parts = this.tables.map(
      (table) =>
        `SELECT '${table}' AS name, to_jsonb(t) AS row FROM ${table} t${table === "roles" ? " WHERE organization_id IS NOT NULL" : ""}`,
    );
    parts.push(
      `SELECT 'totals', jsonb_build_object('list', list, 'owner', owner, 'part', part, 'rows', sum(rows)) FROM (
         SELECT list, owner, part, rows FROM row_counts UNION ALL SELECT list, owner, part, rows FROM row_count_deltas) c
       GROUP BY list, owner, part HAVING sum(rows) <> 0`,
      `SELECT 'jobs', jsonb_build_object('queue', name, 'label', data ->> 'label') FROM pgboss.job WHERE name NOT LIKE '\\_\\_%'`,
    );
    const rows = await this.sql(parts.join(" UNION ALL "));
    return rows
      .map(({ name, row }) => {
        const kept = Object.entries(row as Record<string, unknown>).flatMap(([key, value]) =>
          this.kept(key, value),
        );
        const text = `${name} ${JSON.stringify(Object.fromEntries(kept))}`;
        return text
          .replaceAll(UUID, (id) => names.get(id) ?? "new")
          .replaceAll(unique, "U")
          .replaceAll(address, "address")
          .replace(/"number":\d+/, '"number":0');
      })
      .sort();
  }

  private kept(key: string, value: unknown): [string, unknown][] {
    if (LEFT_OUT.has(key) || value === null) return [];
    if (TIMES.has(key)) return [[key, "set"]];
    if (key === "expires_at") return [[key, new Date(String(value)) < new Date() ? "past" : "to come"]];
    if (/_at$|^time$/.test(key)) return [];
    // Of a hash that a sign-in renewed in the background, beside the two calls.
    if (key === "password_renewal") return [];
    if (key === "password_hash") return [[key, String(value).includes("m=8,") ? "as before" : "changed"]];
    return [[key, value]];
  }
}
