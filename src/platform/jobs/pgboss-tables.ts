/*
 * Every statement on the tables of pg-boss, written for one version of its schema (below). pg-boss documents
 * inserts into its job table. It has no API for the other statements: counts over partial indexes, failed jobs of
 * all queues, re-encryption. Check each statement when the version changes. The edge bundle contains this file, so
 * it does not import pg-boss.
 */

/** The version of pg-boss's schema that these statements are written for. */
export const PGBOSS_SCHEMA_VERSION = 43;

/**
 * The statement that pg-boss documents for inserting jobs into its table, in the form in which its `send` runs it:
 * a single text whose plan each connection caches, without further queries. It copies the options of the queue, as
 * `send` does. An unknown queue violates NOT NULL.
 */
export const INSERT_JOB = `INSERT INTO pgboss.job (name, data, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
    expire_seconds, deletion_seconds, keep_until, dead_letter, heartbeat_seconds)
  SELECT given.name, $2::text::jsonb, q.policy, q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max,
    q.expire_seconds, q.deletion_seconds, now() + q.retention_seconds * interval '1 second', q.dead_letter,
    q.heartbeat_seconds
  FROM (VALUES ($1::text)) given (name) LEFT JOIN pgboss.queue q ON q.name = given.name`;

/**
 * Counts unfinished and failed jobs by the two partial indexes of `INDEX_UNFINISHED_JOBS`. It does not read the
 * completed jobs, which are kept for days.
 */
export const COUNT_JOBS = `SELECT name AS queue, state, count(*)::int AS count,
    coalesce(extract(epoch FROM now() - min(created_on)), 0)::float8 AS "oldestSeconds"
  FROM pgboss.job_common WHERE state < 'completed' OR state = 'failed' GROUP BY name, state`;

/**
 * Creates partial indexes on unfinished and failed jobs, which are few compared with the completed jobs that are
 * kept for days. Without them the periodic queries would read all jobs: the service's queries, and pg-boss's own
 * for jobs that timed out or whose worker was killed. Nothing else in pg-boss's schema is changed.
 */
export const INDEX_UNFINISHED_JOBS = `BEGIN;
  SELECT pg_advisory_xact_lock(hashtextextended('unfinished_jobs', 0));
  CREATE INDEX IF NOT EXISTS unfinished_jobs ON pgboss.job_common (state, name) WHERE state < 'completed';
  CREATE INDEX IF NOT EXISTS failed_jobs ON pgboss.job_common (name) WHERE state = 'failed';
  COMMIT`;

/** Counts waiting jobs that were encrypted with none of the given keys (ids as text[]). */
export const COUNT_UNREADABLE_JOBS = `SELECT count(*)::int AS count FROM pgboss.job
  WHERE state IN ('created', 'retry', 'active') AND data->>'sealed' IS NOT NULL AND NOT EXISTS (
    SELECT FROM unnest($1::text[]) key_id WHERE starts_with(data->>'sealed', key_id))`;

/**
 * Makes jobs whose worker was killed run without the retry delay. pg-boss would delay them like failed jobs, by 30
 * seconds or more, in addition to the time until the missing heartbeat is detected.
 */
export const RESUME_JOBS = `UPDATE pgboss.job SET start_after = now()
  WHERE state = 'retry' AND start_after > now() AND output->'value'->>'message' = 'job heartbeat timeout'`;

/** Marks and returns jobs whose worker was killed during the last attempt, each once over all instances. */
export const REPORT_FINAL_FAILURES = `UPDATE pgboss.job_common SET data = coalesce(data, '{}') || '{"isReported": true}'
  WHERE state = 'failed' AND output->'value'->>'message' = 'job heartbeat timeout' AND NOT coalesce(data, '{}') ? 'isReported'
  RETURNING id, name AS queue, coalesce(data->>'label', 'unknown') AS label, data->>'requestId' AS "requestId"`;

/**
 * Returns jobs that have failed or wait for a retry, with the given ids (uuid[] or null) and queue (text or null).
 */
const SELECTED = `state IN ('failed', 'retry') AND name NOT LIKE '\\_\\_pgboss\\_\\_%'
  AND ($1::uuid[] IS NULL OR id = ANY($1)) AND ($2::text IS NULL OR name = $2)`;

export const LIST_FAILED_JOBS = `SELECT id, name AS queue, data->>'label' AS label, state, retry_count + 1 AS attempts,
    created_on AS "queuedAt", CASE WHEN state = 'retry' THEN start_after END AS "nextAt",
    coalesce(output->>'error', output->'value'->>'message') AS error
  FROM pgboss.job_common WHERE ${SELECTED} ORDER BY created_on, id`;

/** Runs jobs again now, with all their retries, as if they were new. */
export const RETRY_FAILED_JOBS = `UPDATE pgboss.job_common SET state = 'retry', retry_count = 0, start_after = now(), completed_on = NULL,
    keep_until = now() + interval '14 days', data = data - 'isReported'
  WHERE ${SELECTED} RETURNING id`;

export const DELETE_FAILED_JOBS = `DELETE FROM pgboss.job_common WHERE ${SELECTED} RETURNING id`;

export const DELETE_UNFINISHED_BEFORE = `DELETE FROM pgboss.job_common
  WHERE (state < 'completed' OR state = 'failed') AND name = ANY($1::text[]) AND created_on <= $2 RETURNING id`;

/** Returns jobs to re-encrypt. Completed jobs are left out, because they are never read again. */
export const FIND_JOBS_OF_OTHER_KEYS = `SELECT id, name, data->>'sealed' AS ciphertext FROM pgboss.job_common
  WHERE (state < 'completed' OR state = 'failed') AND NOT starts_with(data->>'sealed', $1) AND id > $2::uuid
  ORDER BY id LIMIT $3`;

/** Stores a re-encrypted payload, unless it has changed since it was read. The primary key begins with the queue's name. */
export const REPLACE_CIPHERTEXT = `UPDATE pgboss.job_common SET data = jsonb_set(data, '{sealed}', to_jsonb($4::text))
  WHERE name = $1 AND id = $2 AND data->>'sealed' = $3 RETURNING id`;

/**
 * Retries each mail that failed on every attempt once more, for three days. Does not retry mails that the server
 * rejected permanently because of their recipient or content (RFC 5321 4.2.1).
 */
export const RETRY_FAILED_MAILS = `UPDATE pgboss.job_common SET state = 'retry', retry_count = retry_limit, start_after = now(),
    completed_on = NULL
  WHERE name = $1 AND state = 'failed' AND created_on > now() - interval '3 days'
    AND NOT coalesce(output->>'error' IN ('EENVELOPE', 'EMESSAGE') AND (output->>'responseCode')::int >= 500, false)`;

/** Returns one row if pg-boss's schema is installed. */
export const CHECK_QUEUE = "SELECT FROM pgboss.version";
