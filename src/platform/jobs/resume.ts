import type { PgBoss } from "pg-boss";

/** A job whose last attempt has failed. */
export type FailedJob = { id: string; queue: string; label: string; requestId: string | null };

/**
 * Skips the retry delay for jobs whose worker was killed: pg-boss would delay them like failed jobs, by 30 seconds or
 * more, in addition to the time until the missing heartbeat is detected.
 */
export const RESUME = `UPDATE pgboss.job SET start_after = now()
  WHERE state = 'retry' AND start_after > now() AND output->'value'->>'message' = 'job heartbeat timeout'`;

/** Marks and returns jobs whose worker was killed during the last attempt, each once over all instances. */
const REPORT_FINAL_FAILURES = `UPDATE pgboss.job_common SET data = coalesce(data, '{}') || '{"isReported": true}'
  WHERE state = 'failed' AND output->'value'->>'message' = 'job heartbeat timeout' AND NOT coalesce(data, '{}') ? 'isReported'
  RETURNING id, name AS queue, coalesce(data->>'label', 'unknown') AS label, data->>'requestId' AS "requestId"`;

type Options = {
  everySeconds: number;
  /** Called for jobs whose worker was killed during the last attempt; null to leave them to other instances. */
  onFinalFailure: ((job: FailedJob) => void) | null;
  onError: (error: unknown) => void;
};

/** Resumes interrupted jobs at the given interval, and reports those that are not retried. Returns a function that stops it. */
export function superviseInterruptedJobs(boss: PgBoss, { everySeconds, onFinalFailure, onError }: Options) {
  const db = boss.getDb();
  async function supervise() {
    await db.executeSql(RESUME, []);
    if (onFinalFailure === null) return;
    const { rows } = await db.executeSql(REPORT_FINAL_FAILURES, []);
    for (const job of rows as FailedJob[]) onFinalFailure(job);
  }
  const timer = setInterval(() => void supervise().catch(onError), everySeconds * 1000);
  return () => clearInterval(timer);
}
