import type { PgBoss } from "pg-boss";
import { REPORT_FINAL_FAILURES, RESUME_JOBS } from "./pgboss-tables.ts";

/** A job whose last attempt has failed. */
export type FailedJob = { id: string; queue: string; label: string; requestId: string | null };

type Options = {
  everySeconds: number;
  /** Called for jobs whose worker was killed during the last attempt; if null, other instances handle these jobs. */
  onFinalFailure: ((job: FailedJob) => void) | null;
  onError: (error: unknown) => void;
};

/** Regularly resumes interrupted jobs, and reports those that are not retried. Returns a function that stops this. */
export function superviseInterruptedJobs(boss: PgBoss, { everySeconds, onFinalFailure, onError }: Options) {
  const db = boss.getDb();
  async function supervise() {
    await db.executeSql(RESUME_JOBS, []);
    if (onFinalFailure === null) return;
    const { rows } = await db.executeSql(REPORT_FINAL_FAILURES, []);
    for (const job of rows as FailedJob[]) onFinalFailure(job);
  }
  const timer = setInterval(() => void supervise().catch(onError), everySeconds * 1000);
  return () => clearInterval(timer);
}
