import type pg from "pg";
import type { Queryable } from "../db/prepared-query.ts";
import {
  DELETE_FAILED_JOBS,
  DELETE_UNFINISHED_BEFORE,
  LIST_FAILED_JOBS,
  RETRY_FAILED_JOBS,
} from "./pgboss-tables.ts";

/** A job that has failed or waits for a retry, without its encrypted payload. */
export type FailedJobSummary = {
  id: string;
  queue: string;
  label: string | null;
  state: "failed" | "retry";
  attempts: number;
  queuedAt: Date;
  /** The time of the job's next attempt; null for a failed job. */
  nextAt: Date | null;
  error: string | null;
};

/** Selects jobs by their ids, by their queue, or all jobs. */
export type Selection = { ids: string[] | null; queue: string | null };

/** Lists jobs that have failed or wait for a retry, oldest first. */
export async function listFailedJobs(
  client: pg.Client,
  { ids, queue }: Selection,
): Promise<FailedJobSummary[]> {
  return (await client.query(LIST_FAILED_JOBS, [ids, queue])).rows;
}

/** Runs failed jobs again now, with all their retries. Returns the number of jobs. */
export async function retryFailedJobs(client: pg.Client, { ids, queue }: Selection): Promise<number> {
  return (await client.query(RETRY_FAILED_JOBS, [ids, queue])).rows.length;
}

/** Deletes failed jobs. Returns the number of jobs. */
export async function deleteFailedJobs(client: pg.Client, { ids, queue }: Selection): Promise<number> {
  return (await client.query(DELETE_FAILED_JOBS, [ids, queue])).rows.length;
}

/**
 * Deletes jobs of these queues that were queued until the given time and may still run, including failed ones.
 * Returns the number of jobs.
 */
export async function deleteUnfinishedBefore(
  db: Queryable,
  { queues, time }: { queues: string[]; time: Date },
): Promise<number> {
  return (await db.query(DELETE_UNFINISHED_BEFORE, [queues, time])).length;
}
