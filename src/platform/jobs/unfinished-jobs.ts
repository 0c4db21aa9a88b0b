import type { PgBoss } from "pg-boss";

/**
 * Partial indexes on unfinished and failed jobs, which are few compared with the completed jobs that are kept for
 * days. Without them the periodic queries would read all jobs: the service's (resume.ts, counts.ts,
 * check-encryption-key.ts), and pg-boss's own for jobs that timed out or whose worker was killed. The indexes are
 * added to pg-boss's schema; nothing else in it is changed.
 */
const INDEX = `BEGIN;
  SELECT pg_advisory_xact_lock(hashtextextended('unfinished_jobs', 0));
  CREATE INDEX IF NOT EXISTS unfinished_jobs ON pgboss.job_common (state, name) WHERE state < 'completed';
  CREATE INDEX IF NOT EXISTS failed_jobs ON pgboss.job_common (name) WHERE state = 'failed';
  COMMIT`;

/** Creates the index. Safe to call repeatedly and concurrently. */
export async function indexUnfinishedJobs(boss: PgBoss): Promise<void> {
  await boss.getDb().executeSql(INDEX);
}
