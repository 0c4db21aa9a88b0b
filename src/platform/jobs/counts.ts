import type { PgBoss } from "pg-boss";

/** How many jobs of a queue are in a state that is not the end of a good one, and since when the oldest waits. */
export type QueueCounts = {
  queue: string;
  state: "created" | "retry" | "active" | "failed";
  count: number;
  oldestSeconds: number;
};

/** By the two partial indexes of `unfinished-jobs.ts`; done jobs, which are kept for days, are not looked at. */
export const COUNT = `SELECT name AS queue, state, count(*)::int AS count,
    coalesce(extract(epoch FROM now() - min(created_on)), 0)::float8 AS "oldestSeconds"
  FROM pgboss.job_common WHERE state < 'completed' OR state = 'failed' GROUP BY name, state`;

/** Counts the jobs that wait, are at work, or have failed. */
export async function countJobs(boss: PgBoss): Promise<QueueCounts[]> {
  const { rows } = await boss.getDb().executeSql(COUNT, []);
  return rows as QueueCounts[];
}
