import type { Queryable } from "../db/prepared-query.ts";

/**
 * The statement that pg-boss documents for inserting jobs into its table, as its `send` runs it: one text whose plan
 * each connection caches, without further queries. The job options of the queue are copied, as by `send`. An unknown
 * queue violates NOT NULL.
 */
const INSERT = `INSERT INTO pgboss.job (name, data, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
    expire_seconds, deletion_seconds, keep_until, dead_letter, heartbeat_seconds)
  SELECT given.name, $2::text::jsonb, q.policy, q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max,
    q.expire_seconds, q.deletion_seconds, now() + q.retention_seconds * interval '1 second', q.dead_letter,
    q.heartbeat_seconds
  FROM (VALUES ($1::text)) given (name) LEFT JOIN pgboss.queue q ON q.name = given.name`;

/** Adds a job to a queue; it runs once the transaction of `db` has committed. */
export async function insertJob(db: Queryable, queue: string, data: object): Promise<void> {
  await db.query(INSERT, [queue, JSON.stringify(data)]);
}
