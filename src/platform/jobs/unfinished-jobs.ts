import type { PgBoss } from "pg-boss";
import { INDEX_UNFINISHED_JOBS } from "./pgboss-tables.ts";

/** Creates the indexes on unfinished and failed jobs. Safe to call repeatedly and concurrently. */
export async function indexUnfinishedJobs(boss: PgBoss): Promise<void> {
  await boss.getDb().executeSql(INDEX_UNFINISHED_JOBS);
}
