import { SQL } from "bun";
import { until } from "./cluster.ts";
import type { Service } from "./service.ts";

/** A table that cannot be read until it is released. */
export type AcquiredTableLock = {
  /** Resolves once exactly this many list statements wait for the table. */
  waiting(count: number): Promise<void>;
  release(): Promise<void>;
};

/** Locks a table exclusively, so that lists of it take as long as a test needs. */
export async function holdTable(t: Service, table: string): Promise<AcquiredTableLock> {
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  await holder.unsafe("BEGIN");
  await holder.unsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const waiters = `SELECT FROM pg_stat_activity WHERE datname = current_database()
    AND application_name LIKE '%-lists' AND wait_event_type = 'Lock'`;
  return {
    async waiting(count) {
      await until(async () => ((await t.sql(waiters)).length === count ? true : null));
    },
    async release() {
      await holder.unsafe("COMMIT");
      await holder.close();
    },
  };
}
