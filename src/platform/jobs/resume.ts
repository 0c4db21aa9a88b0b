import type { PgBoss } from "pg-boss";
import type { FailedJob } from "./queue.ts";

/**
 * A job whose worker was killed has not failed, so it does not wait as one that has: pg-boss gives it the delay
 * of a retry, 30 seconds and more, on top of the time until its heartbeat is missed.
 */
export const RESUME = `UPDATE pgboss.job SET start_after = now()
  WHERE state = 'retry' AND start_after > now() AND output->'value'->>'message' = 'job heartbeat timeout'`;

/** Those whose worker was killed in the last attempt, each once, whichever instance asks. */
const GIVEN_UP = `UPDATE pgboss.job_common SET data = coalesce(data, '{}') || '{"isReported": true}'
  WHERE state = 'failed' AND output->'value'->>'message' = 'job heartbeat timeout' AND NOT coalesce(data, '{}') ? 'isReported'
  RETURNING id, name AS queue, coalesce(data->>'label', 'unknown') AS label, data->>'requestId' AS "requestId"`;

type Options = {
  everySeconds: number;
  /** Told of jobs whose worker was killed in the last attempt; null where others are told. */
  onGivenUp: ((job: FailedJob) => void) | null;
  onError: (error: unknown) => void;
};

/** Lets interrupted jobs go on at once, looking every so many seconds. Gives back a way to stop. */
export function lookAfterInterruptedJobs(boss: PgBoss, { everySeconds, onGivenUp, onError }: Options) {
  const db = boss.getDb();
  async function look() {
    await db.executeSql(RESUME, []);
    if (onGivenUp === null) return;
    const { rows } = await db.executeSql(GIVEN_UP, []);
    for (const job of rows as FailedJob[]) onGivenUp(job);
  }
  const timer = setInterval(() => void look().catch(onError), everySeconds * 1000);
  return () => clearInterval(timer);
}
