import type { PgBoss } from "pg-boss";

/** The number of unfinished or failed jobs of a queue in a state, and the age of the oldest. */
export type QueueCounts = {
  queue: string;
  state: "created" | "retry" | "active" | "failed";
  count: number;
  oldestSeconds: number;
};

/** Uses the two partial indexes of `unfinished-jobs.ts`, not the completed jobs that are kept for days. */
export const COUNT = `SELECT name AS queue, state, count(*)::int AS count,
    coalesce(extract(epoch FROM now() - min(created_on)), 0)::float8 AS "oldestSeconds"
  FROM pgboss.job_common WHERE state < 'completed' OR state = 'failed' GROUP BY name, state`;

/** Counts unfinished and failed jobs. */
export async function countJobs(boss: PgBoss): Promise<QueueCounts[]> {
  const { rows } = await boss.getDb().executeSql(COUNT, []);
  return rows as QueueCounts[];
}
