/* Sending of webhook deliveries. All state is in these rows, so any instance that runs jobs may send them. */

/* Starts time slices for endpoints with due deliveries, those that have waited longest first. Selects only endpoints of
   one `EndpointHealth` (src/features/webhooks/slots.ts). In a time slice one instance sends the deliveries of an
   endpoint. If the instance crashes, the time slice ends at `leased_until`. `busy` are the organizations that already
   use all their slots on this instance. */
/* @name startTimeSlices */
WITH due AS (
  SELECT e.id FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
  WHERE e.next_due_at <= now() AND e.is_enabled AND NOT e.is_deleted AND (e.leased_until IS NULL OR e.leased_until <= now())
    AND e.organization_id <> ALL (:busy!::uuid[])
    AND CASE WHEN e.failing_since IS NOT NULL OR e.is_slow THEN 'impaired' WHEN e.last_success_at IS NULL THEN 'unproven' ELSE 'quick' END = :health!
  ORDER BY e.next_due_at LIMIT :max! FOR UPDATE OF e SKIP LOCKED
)
UPDATE webhook_endpoints e SET leased_until = now() + make_interval(secs => :leaseSeconds!::int) FROM due WHERE e.id = due.id
RETURNING e.id, e.organization_id, e.failing_since IS NOT NULL AS "is_failing!", (
  SELECT count(*)::int FROM (
    SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.next_attempt_at <= now() LIMIT :atOnce!) waiting) AS "due!";

/* Leases the deliveries that have been due longest, if the endpoint is still enabled and its organization is active.
   Returns them with everything that the attempts need. An endpoint that never succeeded gets ten attempts an hour,
   over all instances. Tests and resends do not count towards this limit, and are sent even if it is reached. */
/* @name leaseDeliveries */
WITH unproven AS (
  SELECT id, CASE WHEN hour_began_at > now() - interval '1 hour' THEN hour_attempts ELSE 0 END AS attempts
  FROM webhook_endpoints WHERE id = :endpointId! AND last_success_at IS NULL FOR NO KEY UPDATE
), due AS (
  SELECT d.id, d.created_at, d.next_attempt_at, d.is_resend, e.url, e.secret,
    CASE WHEN e.previous_secret_ends_at > now() THEN e.previous_secret END AS previous_secret
  FROM webhook_deliveries d
  JOIN webhook_endpoints e ON e.id = d.endpoint_id AND e.is_enabled AND NOT e.is_deleted
  JOIN organizations o ON o.id = e.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
  WHERE d.endpoint_id = :endpointId AND d.next_attempt_at <= now() AND (d.leased_until IS NULL OR d.leased_until <= now())
    AND (d.is_resend OR COALESCE((SELECT attempts < 10 FROM unproven), true))
  ORDER BY d.next_attempt_at, d.sequence LIMIT :max! FOR UPDATE OF d SKIP LOCKED
), ranked AS (
  SELECT due.*, row_number() OVER (PARTITION BY due.is_resend ORDER BY due.next_attempt_at) AS rank FROM due
), allowed AS (
  SELECT * FROM ranked WHERE is_resend OR COALESCE((SELECT attempts + rank <= 10 FROM unproven), true)
), counted AS (
  UPDATE webhook_endpoints e SET hour_attempts = unproven.attempts + leased.count,
    hour_began_at = CASE WHEN unproven.attempts = 0 THEN now() ELSE e.hour_began_at END
  FROM unproven, (SELECT count(*) FROM allowed WHERE NOT is_resend) leased WHERE e.id = unproven.id AND leased.count > 0
)
UPDATE webhook_deliveries d SET leased_until = now() + make_interval(secs => :leaseSeconds!::int)
FROM allowed LEFT JOIN LATERAL (
  SELECT ev.id, ev.sequence, ev.type, ev.data, ev.actor_type, ev.actor_id, ev.client_id, ev.client_name, ev.request_id, ev.occurred_at
  FROM webhook_deliveries own JOIN events ev ON ev.id = own.event_id AND ev.recorded_at = own.event_recorded_at
  WHERE own.id = allowed.id AND own.created_at = allowed.created_at
) event ON true
WHERE d.id = allowed.id AND d.created_at = allowed.created_at
RETURNING d.id, d.created_at, d.organization_id, d.event_id, d.attempt_count, d.failed_tries, d.is_resend, d.test_event,
  allowed.url AS "url!", allowed.secret AS "secret!", allowed.previous_secret,
  event.id AS "stored_id?", event.sequence::text AS "sequence?", event.type AS "type?", event.data AS "data?",
  event.actor_type AS "actor_type?", event.actor_id AS "actor_id?", event.client_id AS "client_id?", event.client_name AS "client_name?",
  event.request_id AS "request_id?", event.occurred_at AS "occurred_at?";

/* Ends the lease of a delivery that was not attempted, for example because too many requests to its address were
   running. It no longer counts as an attempt of this hour. */
/* @name releaseDelivery */
WITH released AS (
  UPDATE webhook_deliveries SET leased_until = NULL, next_attempt_at = now() + make_interval(secs => :seconds!::float8)
  WHERE id = :id! AND created_at = :createdAt! AND next_attempt_at IS NOT NULL
  RETURNING endpoint_id, is_resend
)
UPDATE webhook_endpoints e SET hour_attempts = e.hour_attempts - 1
FROM released WHERE e.id = released.endpoint_id AND NOT released.is_resend AND e.last_success_at IS NULL AND e.hour_attempts > 0;

/* Ends a delivery whose event is no longer stored. It no longer counts as an attempt of this hour. */
/* @name endDeliveryWithoutEvent */
WITH before AS (
  SELECT endpoint_id, is_resend FROM webhook_deliveries WHERE id = :id! AND created_at = :createdAt!
), ended AS (
  UPDATE webhook_deliveries
  SET state = CASE WHEN state = 'PENDING' THEN 'FAILED' ELSE state END, next_attempt_at = NULL, leased_until = NULL, is_resend = false
  WHERE id = :id AND created_at = :createdAt
)
UPDATE webhook_endpoints e SET hour_attempts = e.hour_attempts - 1
FROM before WHERE e.id = before.endpoint_id AND NOT before.is_resend AND e.last_success_at IS NULL AND e.hour_attempts > 0;

/* Records concurrent attempts of an endpoint. Only a pending delivery is tried again; a resend of a delivery that had ended is
   not retried. If some attempts failed and some succeeded, the endpoint has been failing since now. A disabled endpoint stays
   disabled. */
/* @name recordAttempts */
WITH made AS (
  SELECT * FROM jsonb_to_recordset(:made!::jsonb -> 'attempts') AS made (id uuid, "createdAt" timestamptz, number integer,
    "startedAt" timestamptz, "durationMs" integer, status integer, error text, "responseExcerpt" text,
    "isSuccess" boolean, "isTry" boolean, "retrySeconds" float8)
), totals AS (
  SELECT count(*) FILTER (WHERE "isSuccess")::int AS successes, count(*) FILTER (WHERE NOT "isSuccess")::int AS failures
  FROM made
), attempts AS (
  INSERT INTO webhook_attempts (delivery_id, delivery_created_at, number, started_at, duration_ms, status, error, response_excerpt)
  SELECT id, "createdAt", number, "startedAt", "durationMs", status, error, "responseExcerpt" FROM made
  ON CONFLICT ON CONSTRAINT webhook_attempts_pkey DO NOTHING
), deliveries AS (
  UPDATE webhook_deliveries d
  SET attempt_count = GREATEST(d.attempt_count, made.number), leased_until = NULL, is_resend = false,
    failed_tries = d.failed_tries + CASE WHEN made."isTry" AND NOT made."isSuccess" THEN 1 ELSE 0 END,
    state = CASE WHEN made."isSuccess" THEN 'SUCCEEDED'
      WHEN d.state = 'PENDING' AND made."retrySeconds" IS NULL OR d.state = 'DISCARDED' THEN 'FAILED' ELSE d.state END,
    next_attempt_at = CASE WHEN d.state = 'PENDING' AND NOT made."isSuccess" THEN now() + make_interval(secs => made."retrySeconds") END
  FROM made WHERE d.id = made.id AND d.created_at = made."createdAt"
)
UPDATE webhook_endpoints e
SET is_slow = :isSlow!,
  last_success_at = CASE WHEN successes > 0 THEN now() ELSE e.last_success_at END,
  failing_since = CASE WHEN failures = 0 THEN NULL WHEN successes > 0 THEN now() ELSE COALESCE(e.failing_since, now()) END,
  failure_count = failures + CASE WHEN successes > 0 THEN 0 ELSE e.failure_count END,
  last_failure_at = CASE WHEN failures > 0 THEN now() ELSE e.last_failure_at END,
  warned_at = CASE WHEN successes > 0 THEN NULL ELSE e.warned_at END
FROM totals
WHERE e.id = :endpointId! AND e.url = :url! AND NOT e.is_deleted AND (failures > 0 OR e.failing_since IS NOT NULL
  OR e.is_slow <> :isSlow OR e.last_success_at IS NULL OR e.last_success_at < now() - interval '1 second');

/* Locks the endpoint before its next time slice is determined, so that deliveries that are being added concurrently are
   counted. */
/* @name lockEndpoint */
SELECT id FROM webhook_endpoints WHERE id = :id! FOR NO KEY UPDATE;

/* Ends a time slice, and determines when the next one is due. A delivery that is still leased, by an instance that died, is not due
   before its lease ends. There are few of these, so reading the first 20 deliveries suffices, however many are pending. */
/* @name endTimeSlice */
WITH endpoint AS (
  SELECT is_deleted, hour_began_at + interval '1 hour' AS hour_ends_at,
    last_success_at IS NULL AND hour_attempts >= 10 AND hour_began_at > now() - interval '1 hour' AS is_limited
  FROM webhook_endpoints WHERE id = :id!
), first AS (
  SELECT min(at) AS at FROM (
    SELECT GREATEST(next_attempt_at, leased_until) AS at FROM webhook_deliveries
    WHERE endpoint_id = :id AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT 20) waiting
), next AS (
  SELECT CASE WHEN endpoint.is_deleted OR first.at IS NULL THEN NULL WHEN NOT endpoint.is_limited THEN first.at
    ELSE LEAST(GREATEST(first.at, endpoint.hour_ends_at), (
      SELECT min(GREATEST(next_attempt_at, leased_until)) FROM webhook_deliveries
      WHERE endpoint_id = :id AND next_attempt_at IS NOT NULL AND is_resend)) END AS at
  FROM endpoint, first
)
UPDATE webhook_endpoints e SET leased_until = NULL,
  next_due_at = CASE WHEN next.at IS NOT NULL THEN GREATEST(next.at, now() + make_interval(secs => :pauseSeconds!::float8)) END
FROM next WHERE e.id = :id;

/* Discards at most :max pending deliveries of deleted endpoints, of one organization or of all; returns their number. */
/* @name discardDeliveriesOfDeleted */
WITH endpoints AS (
  SELECT c.owner AS id FROM counted_rows c JOIN webhook_endpoints e ON e.id = c.owner AND e.is_deleted
  WHERE c.list = 'pending_deliveries' AND c.part IS NULL AND (:organizationId::uuid IS NULL OR e.organization_id = :organizationId)
  GROUP BY c.owner HAVING sum(c.rows) > 0
), ended AS (
  UPDATE webhook_deliveries d
  SET state = CASE WHEN d.state = 'PENDING' THEN 'DISCARDED' ELSE d.state END, next_attempt_at = NULL, leased_until = NULL, is_resend = false
  FROM (
    SELECT waiting.id, waiting.created_at FROM endpoints CROSS JOIN LATERAL (
      SELECT w.id, w.created_at FROM webhook_deliveries w
      WHERE w.endpoint_id = endpoints.id AND w.next_attempt_at IS NOT NULL LIMIT :max!::int) waiting
    LIMIT :max) chosen
  WHERE d.id = chosen.id AND d.created_at = chosen.created_at
  RETURNING d.id
)
SELECT count(*)::int AS "discarded!" FROM ended;

/* Returns the endpoints that have failed long enough to be disabled, or to be warned about. */
/* @name listFailingEndpoints */
SELECT e.id, e.organization_id, e.url, e.failing_since AS "failing_since!",
  e.failing_since <= now() - interval '5 days' AND e.failure_count >= 3 AND e.last_failure_at > now() - interval '1 day' AS "is_over!"
FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
WHERE e.is_enabled AND NOT e.is_deleted AND e.failing_since IS NOT NULL AND (
  e.failing_since <= now() - interval '24 hours' AND e.warned_at IS NULL
  OR e.failing_since <= now() - interval '5 days' AND e.failure_count >= 3 AND e.last_failure_at > now() - interval '1 day')
ORDER BY e.failing_since LIMIT :max!;

/* @name markEndpointWarned */
UPDATE webhook_endpoints SET warned_at = now()
WHERE id = :id! AND warned_at IS NULL AND failing_since IS NOT NULL AND is_enabled AND NOT is_deleted
RETURNING id;

/* Returns the number of pending deliveries, and the longest time in seconds that an endpoint has waited for its
   time slice. Endpoints of suspended organizations get none, so their time does not count. */
/* @name countDeliveriesWaiting */
SELECT (SELECT COALESCE(sum(rows), 0)::int FROM counted_rows
    WHERE list = 'pending_deliveries' AND owner IS NULL AND part IS NULL) AS "pending!",
  (SELECT COALESCE(extract(epoch FROM now() - min(e.next_due_at)), 0)::float8 FROM webhook_endpoints e
   JOIN organizations o ON o.id = e.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
   WHERE e.is_enabled AND NOT e.is_deleted AND e.next_due_at <= now()) AS "oldest_seconds!";
