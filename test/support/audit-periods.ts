import type { Service } from "./service.ts";

export type Period = { name: string; beginsAt: Date | null; endsAt: Date | null };

/** Returns the partitioned table of a partition that is named in a query plan. */
export const wholeTable = (table: string) => table.replace(/^audit_events_\w+$/, "audit_events");

/** Lists the partitions of audit events, oldest first. */
export const periodsOf = (t: Service) =>
  t.sql<Period>(
    `SELECT name, begins_at AS "beginsAt", ends_at AS "endsAt" FROM audit_periods ORDER BY begins_at NULLS FIRST`,
  );

/**
 * Replaces the partitions of audit events, as if time had passed. One partition begins at the start of the month this
 * many months ago for each number, and one precedes them. Existing events are lost, and stored totals are wrong until
 * new events are written.
 */
export async function layPeriods(t: Service, monthsAgo: number[]): Promise<void> {
  for (const { name } of await periodsOf(t)) await t.sql(`DROP TABLE ${name}`);
  await t.sql("DELETE FROM row_counts WHERE list = 'audit_events'");
  await t.sql("DELETE FROM row_count_deltas WHERE list = 'audit_events'");
  const starts = await t.sql<{ at: string; name: string }>(
    `SELECT at::text AS at, 'audit_events_' || to_char(at AT TIME ZONE 'UTC', 'YYYY_MM') AS name
     FROM unnest($1::int[]) months,
       date_subtract(date_trunc('month', now(), 'UTC'), make_interval(months => months), 'UTC') AS at ORDER BY 1`,
    [`{${monthsAgo.join()}}`],
  );
  const periods = [{ name: "audit_events_first", at: null }, ...starts];
  for (const [place, { name, at }] of periods.entries()) {
    const [from, to] = [at, periods[place + 1]?.at];
    const bounds = `FROM (${from === null ? "MINVALUE" : `'${from}'`}) TO (${to ? `'${to}'` : "MAXVALUE"})`;
    await t.sql(`CREATE TABLE ${name} PARTITION OF audit_events FOR VALUES ${bounds}`);
    await t.sql(`CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${name}
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table()`);
  }
}
