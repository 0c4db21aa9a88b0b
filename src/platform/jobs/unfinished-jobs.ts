import type { PgBoss } from "pg-boss";

/**
 * The jobs that are waiting or at work, which are few among those that were done and are kept for days. Whatever looks
 * after them every few seconds, or counts them and those that failed, would read all: ours (resume.ts, check-encryption-key.ts), and pg-boss's own for jobs that
 * took too long or whose worker was killed. Of the schema that pg-boss changes by itself, this adds to and alters nothing.
 */
const INDEX = `BEGIN;
  SELECT pg_advisory_xact_lock(hashtextextended('unfinished_jobs', 0));
  CREATE INDEX IF NOT EXISTS unfinished_jobs ON pgboss.job_common (state, name) WHERE state < 'completed';
  CREATE INDEX IF NOT EXISTS failed_jobs ON pgboss.job_common (name) WHERE state = 'failed';
  COMMIT`;

/** Lets the jobs that are not finished be found without the others. Safe to call again, and from several at once. */
export async function indexUnfinishedJobs(boss: PgBoss): Promise<void> {
  await boss.getDb().executeSql(INDEX);
}
