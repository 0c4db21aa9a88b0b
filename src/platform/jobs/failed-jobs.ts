import type pg from "pg";
import type { Queryable } from "../db/prepared-query.ts";

/** A job that has failed or waits for a retry, without its encrypted payload. */
export type FailedJobSummary = {
  id: string;
  queue: string;
  label: string | null;
  state: "failed" | "retry";
  attempts: number;
  queuedAt: Date;
  /** The time of the next attempt; null for a failed job. */
  nextAt: Date | null;
  error: string | null;
};

/** Selects jobs by id, by queue, or all of them. */
export type Selection = { ids: string[] | null; queue: string | null };

const SELECTED = `state IN ('failed', 'retry') AND name NOT LIKE '\\_\\_pgboss\\_\\_%'
  AND ($1::uuid[] IS NULL OR id = ANY($1)) AND ($2::text IS NULL OR name = $2)`;
const LIST = `SELECT id, name AS queue, data->>'label' AS label, state, retry_count + 1 AS attempts,
    created_on AS "queuedAt", CASE WHEN state = 'retry' THEN start_after END AS "nextAt",
    coalesce(output->>'error', output->'value'->>'message') AS error
  FROM pgboss.job_common WHERE ${SELECTED} ORDER BY created_on, id`;
const RETRY = `UPDATE pgboss.job_common SET state = 'retry', retry_count = 0, start_after = now(), completed_on = NULL,
    keep_until = now() + interval '14 days', data = data - 'isReported'
  WHERE ${SELECTED} RETURNING id`;
const DELETE = `DELETE FROM pgboss.job_common WHERE ${SELECTED} RETURNING id`;

/** Lists jobs that have failed or wait for a retry, oldest first. */
export async function listFailedJobs(
  client: pg.Client,
  { ids, queue }: Selection,
): Promise<FailedJobSummary[]> {
  return (await client.query(LIST, [ids, queue])).rows;
}

/** Runs jobs again now, with all their retries; returns the number of jobs. */
export async function retryFailedJobs(client: pg.Client, { ids, queue }: Selection): Promise<number> {
  return (await client.query(RETRY, [ids, queue])).rows.length;
}

/** Deletes jobs; returns the number of jobs. */
export async function deleteFailedJobs(client: pg.Client, { ids, queue }: Selection): Promise<number> {
  return (await client.query(DELETE, [ids, queue])).rows.length;
}

const DELETE_BEFORE = `DELETE FROM pgboss.job_common
  WHERE (state < 'completed' OR state = 'failed') AND name = ANY($1::text[]) AND created_on <= $2 RETURNING id`;

/**
 * Deletes jobs of these queues that may still run, including failed ones, and were queued until the given time;
 * returns the number of jobs.
 */
export async function deleteUnfinishedBefore(
  db: Queryable,
  { queues, time }: { queues: string[]; time: Date },
): Promise<number> {
  return (await db.query(DELETE_BEFORE, [queues, time])).length;
}
