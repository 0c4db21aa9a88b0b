/* Sending of webhook deliveries. All state is in these rows, so any instance that runs jobs may send them. */

/* Starts turns for endpoints with due deliveries, those that have waited longest first. A turn is the time slice in
   which one instance sends the deliveries of an endpoint. If the instance crashes, the turn ends at `turn_until`.
   `busy` are the organizations that already use all their slots on this instance. */
/* @name takeTurns */
WITH due AS (
  SELECT e.id FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
  WHERE e.next_turn_at <= now() AND e.is_enabled AND NOT e.is_deleted AND (e.turn_until IS NULL OR e.turn_until <= now())
    AND e.organization_id <> ALL (:busy!::uuid[])
    AND (:withFailing!::boolean OR e.failing_since IS NULL) AND (:withUnproven!::boolean OR e.last_success_at IS NOT NULL)
  ORDER BY e.next_turn_at LIMIT :max! FOR UPDATE OF e SKIP LOCKED
)
UPDATE webhook_endpoints e SET turn_until = now() + make_interval(secs => :leaseSeconds!::int) FROM due WHERE e.id = due.id
RETURNING e.id, e.organization_id, e.failing_since IS NOT NULL AS "is_failing!", e.last_success_at IS NOT NULL AS "is_proven!";

/* Counts an attempt of an endpoint that never succeeded. Returns no row after ten attempts in an hour, over all
   instances. */
/* @name allowUnprovenAttempt */
UPDATE webhook_endpoints
SET hour_began_at = CASE WHEN hour_began_at > now() - interval '1 hour' THEN hour_began_at ELSE now() END,
  hour_attempts = CASE WHEN hour_began_at > now() - interval '1 hour' THEN hour_attempts + 1 ELSE 1 END
WHERE id = :id! AND (hour_attempts < 10 OR hour_began_at <= now() - interval '1 hour')
RETURNING id;

/* Leases the delivery that has been due longest, if the endpoint is still enabled and its organization is active.
   Returns it with everything that the attempt needs. */
/* @name takeDelivery */
WITH due AS (
  SELECT d.id, d.created_at, e.url, e.secret, e.id AS endpoint_id,
    CASE WHEN e.previous_secret_ends_at > now() THEN e.previous_secret END AS previous_secret
  FROM webhook_deliveries d
  JOIN webhook_endpoints e ON e.id = d.endpoint_id AND e.is_enabled AND NOT e.is_deleted
  JOIN organizations o ON o.id = e.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
  WHERE d.endpoint_id = :endpointId! AND d.next_attempt_at <= now() AND (d.leased_until IS NULL OR d.leased_until <= now())
    AND (:isLimited!::boolean IS FALSE OR d.is_resend)
  ORDER BY d.next_attempt_at, d.sequence LIMIT 1 FOR UPDATE OF d SKIP LOCKED
)
UPDATE webhook_deliveries d SET leased_until = now() + make_interval(secs => :leaseSeconds!::int)
FROM due LEFT JOIN LATERAL (
  SELECT ev.id, ev.sequence, ev.type, ev.data, ev.actor_type, ev.actor_id, ev.request_id, ev.occurred_at
  FROM webhook_deliveries own JOIN events ev ON ev.id = own.event_id AND ev.recorded_at = own.event_recorded_at
  WHERE own.id = due.id AND own.created_at = due.created_at
) event ON true
WHERE d.id = due.id AND d.created_at = due.created_at
RETURNING d.id, d.created_at, d.organization_id, d.event_id, d.attempt_count, d.failed_tries, d.is_resend, d.test_event,
  due.url AS "url!", due.secret AS "secret!", due.previous_secret,
  event.id AS "stored_id?", event.sequence::text AS "sequence?", event.type AS "type?", event.data AS "data?",
  event.actor_type AS "actor_type?", event.actor_id AS "actor_id?", event.request_id AS "request_id?", event.occurred_at AS "occurred_at?";

/* Ends the lease of a delivery that was not attempted, for example because too many requests to its address were
   running. */
/* @name releaseDelivery */
UPDATE webhook_deliveries SET leased_until = NULL, next_attempt_at = now() + make_interval(secs => :seconds!::float8)
WHERE id = :id! AND created_at = :createdAt! AND next_attempt_at IS NOT NULL;

/* Ends a delivery whose event is no longer stored. */
/* @name endDeliveryWithoutEvent */
UPDATE webhook_deliveries
SET state = CASE WHEN state = 'PENDING' THEN 'FAILED' ELSE state END, next_attempt_at = NULL, leased_until = NULL, is_resend = false
WHERE id = :id! AND created_at = :createdAt!;

/* Records a successful attempt. The endpoint counts as working again, but a disabled endpoint stays disabled. */
/* @name recordSuccess */
WITH attempt AS (
  INSERT INTO webhook_attempts (delivery_id, delivery_created_at, number, started_at, duration_ms, status, response_excerpt)
  VALUES (:id!, :createdAt!, :number!, :startedAt!, :durationMs!, :status!, :responseExcerpt)
  ON CONFLICT ON CONSTRAINT webhook_attempts_pkey DO NOTHING
), delivery AS (
  UPDATE webhook_deliveries SET state = 'SUCCEEDED', attempt_count = GREATEST(attempt_count, :number), next_attempt_at = NULL, leased_until = NULL, is_resend = false
  WHERE id = :id AND created_at = :createdAt
)
UPDATE webhook_endpoints
SET last_success_at = now(), failing_since = NULL, failure_count = 0, warned_at = NULL
WHERE id = :endpointId! AND url = :url! AND (failing_since IS NOT NULL OR last_success_at IS NULL OR last_success_at < now() - interval '1 second');

/* Records a failed attempt. Only a pending delivery is tried again. A resend of a delivery that had ended is not
   retried. */
/* @name recordFailure */
WITH attempt AS (
  INSERT INTO webhook_attempts (delivery_id, delivery_created_at, number, started_at, duration_ms, status, error, response_excerpt)
  VALUES (:id!, :createdAt!, :number!, :startedAt!, :durationMs!, :status, :error, :responseExcerpt)
  ON CONFLICT ON CONSTRAINT webhook_attempts_pkey DO NOTHING
), delivery AS (
  UPDATE webhook_deliveries
  SET attempt_count = GREATEST(attempt_count, :number), leased_until = NULL, is_resend = false,
    failed_tries = failed_tries + CASE WHEN :isTry!::boolean THEN 1 ELSE 0 END,
    state = CASE WHEN state = 'PENDING' AND :retrySeconds::float8 IS NULL OR state = 'DISCARDED' THEN 'FAILED' ELSE state END,
    next_attempt_at = CASE WHEN state = 'PENDING' THEN now() + make_interval(secs => :retrySeconds) END
  WHERE id = :id AND created_at = :createdAt
)
UPDATE webhook_endpoints
SET failing_since = COALESCE(failing_since, now()), failure_count = failure_count + 1, last_failure_at = now()
WHERE id = :endpointId! AND url = :url! AND NOT is_deleted;

/* Locks the endpoint before its next turn is determined, so that deliveries that are being added concurrently are
   counted. */
/* @name lockEndpointOfTurn */
SELECT id FROM webhook_endpoints WHERE id = :id! FOR NO KEY UPDATE;

/* Ends a turn, and determines when the next turn is due. A delivery that is still leased is not due before its
   lease ends. */
/* @name endTurn */
UPDATE webhook_endpoints e
SET turn_until = NULL, next_turn_at = CASE WHEN e.is_deleted THEN NULL ELSE (
    SELECT GREATEST(min(CASE WHEN d.is_resend OR e.last_success_at IS NOT NULL OR e.hour_attempts < 10 OR e.hour_began_at <= now() - interval '1 hour'
        THEN GREATEST(d.next_attempt_at, d.leased_until)
        ELSE GREATEST(d.next_attempt_at, d.leased_until, e.hour_began_at + interval '1 hour') END), now(),
      now() + make_interval(secs => :pauseSeconds!::float8))
    FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.next_attempt_at IS NOT NULL
    HAVING count(*) > 0) END
WHERE e.id = :id!;

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

/* Counts pending deliveries, and returns how long an endpoint has waited for its turn. Those of suspended organizations have none. */
/* @name countDeliveriesWaiting */
SELECT (SELECT count(*)::int FROM (SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL LIMIT 1000000) pending) AS "pending!",
  (SELECT COALESCE(extract(epoch FROM now() - min(e.next_turn_at)), 0)::float8 FROM webhook_endpoints e
   JOIN organizations o ON o.id = e.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
   WHERE e.is_enabled AND NOT e.is_deleted AND e.next_turn_at <= now()) AS "oldest_seconds!";
