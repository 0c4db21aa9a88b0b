import type { PgBoss } from "pg-boss";

/**
 * Skips the retry delay for jobs whose worker was killed: pg-boss would delay them like failed jobs, by 30 seconds or
 * more, in addition to the time until the missing heartbeat is detected.
 */
export const RESUME = `UPDATE pgboss.job SET start_after = now()
  WHERE state = 'retry' AND start_after > now() AND output->'value'->>'message' = 'job heartbeat timeout'`;

/** Resumes interrupted jobs at the given interval. Returns a function that stops it. */
export function resumeInterruptedJobs(boss: PgBoss, everySeconds: number, onError: (error: unknown) => void) {
  const timer = setInterval(
    () => void boss.getDb().executeSql(RESUME, []).catch(onError),
    everySeconds * 1000,
  );
  return () => clearInterval(timer);
}
