import type { PgBoss } from "pg-boss";
import type { Cipher } from "../crypto.ts";
import type { Logger } from "../log.ts";
import { COUNT_JOBS, COUNT_UNREADABLE_JOBS, REPORT_FINAL_FAILURES, RESUME_JOBS } from "./pgboss-tables.ts";

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

/**
 * Logs at the start if there are jobs that this key cannot decrypt, while the old key can still be restored. Such
 * jobs are run like all others, because an instance with their key may still be running. They are kept after they
 * have failed.
 */
export async function checkEncryptionKeyOfJobs(boss: PgBoss, { keyIds }: Cipher, log: Logger): Promise<void> {
  const { rows } = await boss.getDb().executeSql(COUNT_UNREADABLE_JOBS, [keyIds]);
  const [{ count } = { count: 0 }] = rows as { count: number }[];
  if (count > 0) log.error("jobs wait that were encrypted with another JOBS_ENCRYPTION_KEY", { count });
}

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
