import type { PgBoss } from "pg-boss";

/**
 * A job whose worker was killed has not failed, so it does not wait as one that has: pg-boss gives it the delay
 * of a retry, 30 seconds and more, on top of the time until its heartbeat is missed.
 */
export const RESUME = `UPDATE pgboss.job SET start_after = now()
  WHERE state = 'retry' AND start_after > now() AND output->'value'->>'message' = 'job heartbeat timeout'`;

/** Lets interrupted jobs go on at once, looking every so many seconds. Gives back a way to stop. */
export function resumeInterruptedJobs(boss: PgBoss, everySeconds: number, onError: (error: unknown) => void) {
  const timer = setInterval(
    () => void boss.getDb().executeSql(RESUME, []).catch(onError),
    everySeconds * 1000,
  );
  return () => clearInterval(timer);
}
