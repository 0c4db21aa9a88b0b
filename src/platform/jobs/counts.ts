import type { PgBoss } from "pg-boss";
import { COUNT_JOBS } from "./pgboss-tables.ts";

/** The number of unfinished or failed jobs of one queue in one state, and the age of the oldest. */
export type QueueCounts = {
  queue: string;
  state: "created" | "retry" | "active" | "failed";
  count: number;
  oldestSeconds: number;
};

/** Counts unfinished and failed jobs. */
export async function countJobs(boss: PgBoss): Promise<QueueCounts[]> {
  const { rows } = await boss.getDb().executeSql(COUNT_JOBS, []);
  return rows as QueueCounts[];
}
