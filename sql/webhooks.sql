/* Webhook endpoints as their administrators manage them, with deliveries and attempts. Changes of endpoints are
   made under the organization's lock. Writes by the sending of deliveries are in sql/webhook-deliveries.sql. */

/* @list webhookEndpoints from webhook_endpoints e by id */
/* @columns */ e.id, e.url, e.description, e.event_types, e.is_enabled, e.disabled_reason, e.disabled_at, e.failing_since, e.last_success_at,
  e.previous_secret_ends_at, e.created_by_type, e.created_by_id, e.created_at,
  (SELECT COALESCE(sum(rows), 0)::int FROM counted_rows
    WHERE list = 'pending_deliveries' AND owner = e.id AND part IS NULL) AS "pending_count!"
/* @where */ e.organization_id = :organizationId! AND NOT e.is_deleted
/* @if search */ search_fold(e.url || E'\n' || e.description) LIKE search_pattern(:search)
/* @sort createdAt */ e.created_at
/* @find findWebhookEndpoint */ e.id = :id!;

/* @name countLiveWebhookEndpoints */
SELECT count(*)::int AS "count!" FROM webhook_endpoints WHERE organization_id = :organizationId! AND NOT is_deleted;

/* @name insertWebhookEndpoint */
INSERT INTO webhook_endpoints (organization_id, url, description, event_types, secret, created_by_type, created_by_id)
VALUES (:organizationId!, :url!, :description!, :eventTypes!::text[], :secret!, :createdByType!, :createdById!)
RETURNING id;

/* Changes an endpoint. Enabling a disabled endpoint resets its failures, and makes pending deliveries due at once.
   Event types that a newer version has added remain. */
/* @name updateWebhookEndpoint */
UPDATE webhook_endpoints e
SET url = :url!, description = :description!, is_enabled = :isEnabled!, updated_at = now(),
  event_types = :eventTypes!::text[] || ARRAY(SELECT one FROM unnest(e.event_types) AS one WHERE one <> ALL (:known!::text[])),
  disabled_reason = CASE WHEN :isEnabled THEN NULL ELSE COALESCE(e.disabled_reason, 'MANUAL') END,
  disabled_at = CASE WHEN :isEnabled THEN NULL ELSE COALESCE(e.disabled_at, now()) END,
  failing_since = CASE WHEN :isEnabled AND NOT e.is_enabled THEN NULL ELSE e.failing_since END,
  failure_count = CASE WHEN :isEnabled AND NOT e.is_enabled THEN 0 ELSE e.failure_count END,
  warned_at = CASE WHEN :isEnabled AND NOT e.is_enabled THEN NULL ELSE e.warned_at END,
  last_success_at = CASE WHEN e.url = :url THEN e.last_success_at END,
  next_due_at = CASE WHEN :isEnabled AND NOT e.is_enabled THEN now() ELSE e.next_due_at END
WHERE e.id = :id! AND e.organization_id = :organizationId! AND NOT e.is_deleted
RETURNING e.id;

/* @name listTypesOfWaitingDeliveries */
SELECT DISTINCT event_type FROM webhook_deliveries WHERE endpoint_id = :endpointId! AND next_attempt_at IS NOT NULL;

/* Deletes an endpoint, or all of an organization. */
/* @name deleteWebhookEndpoints */
UPDATE webhook_endpoints
SET is_deleted = true, deleted_at = now(), updated_at = now(), next_due_at = NULL, secret = '', previous_secret = NULL
WHERE organization_id = :organizationId! AND (:ofAll!::boolean OR id = :id) AND NOT is_deleted
RETURNING id;

/* Replaces the secret of an endpoint. The current secret becomes the previous one; a still older secret ends. */
/* @name rotateWebhookSecret */
UPDATE webhook_endpoints
SET previous_secret = secret, previous_secret_ends_at = now() + make_interval(secs => :overlapSeconds!::int), secret = :secret!, updated_at = now()
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted
RETURNING previous_secret_ends_at AS "ends_at!";

/* Disables an endpoint and ends its pending deliveries. Does nothing if the reason no longer applies: the endpoint
   has another address, or has succeeded since. */
/* @name disableWebhookEndpoint */
WITH disabled AS (
  UPDATE webhook_endpoints SET is_enabled = false, disabled_reason = :reason!, disabled_at = now(), updated_at = now(), next_due_at = NULL
  WHERE id = :id! AND is_enabled AND NOT is_deleted AND (:address::text IS NULL OR url = :address)
    AND (:reason <> 'FAILING' OR failing_since <= now() - interval '5 days' AND failure_count >= 3 AND last_failure_at > now() - interval '1 day')
  RETURNING id, organization_id, url, failing_since
), ended AS (
  UPDATE webhook_deliveries d SET state = CASE WHEN d.state = 'PENDING' THEN 'FAILED' ELSE d.state END, next_attempt_at = NULL, is_resend = false
  FROM disabled WHERE d.endpoint_id = disabled.id AND d.next_attempt_at IS NOT NULL
)
SELECT id, organization_id, url, failing_since FROM disabled;

/* Allows one mail in :seconds about an endpoint. Returns no row if one was sent within that time. */
/* @name reserveEndpointMail */
UPDATE webhook_endpoints SET mailed_at = now()
WHERE id = :id! AND (mailed_at IS NULL OR mailed_at <= now() - make_interval(secs => :seconds!))
RETURNING id;

/* @name listWebhookEndpointsOfCreator */
SELECT id FROM webhook_endpoints
WHERE created_by_type = 'service_account' AND created_by_id = :creatorId! AND organization_id = :organizationId!
  AND is_enabled AND NOT is_deleted
ORDER BY id;

/* @name listEnabledWebhookEndpoints */
SELECT id FROM webhook_endpoints WHERE organization_id = :organizationId! AND is_enabled AND NOT is_deleted ORDER BY id;

/* Pauses the endpoints of a suspended organization, which postpones their retries. */
/* @name pauseWebhookEndpoints */
UPDATE webhook_endpoints SET paused_at = now() WHERE organization_id = :organizationId! AND NOT is_deleted AND paused_at IS NULL;

/* Resumes paused endpoints. Retries are postponed by the duration of the pause, but at most by the age of the
   delivery. The endpoint's time slice determines when the next delivery is due. */
/* @name resumeWebhookEndpoints */
WITH paused AS (
  SELECT id, now() - paused_at AS pause FROM webhook_endpoints
  WHERE organization_id = :organizationId! AND NOT is_deleted AND paused_at IS NOT NULL FOR UPDATE
), resumed AS (
  UPDATE webhook_endpoints e SET paused_at = NULL, failing_since = e.failing_since + paused.pause, last_failure_at = e.last_failure_at + paused.pause,
    next_due_at = CASE WHEN e.next_due_at IS NOT NULL THEN now() END
  FROM paused WHERE e.id = paused.id
)
UPDATE webhook_deliveries d SET next_attempt_at = d.next_attempt_at + LEAST(paused.pause, now() - d.created_at)
FROM paused WHERE d.endpoint_id = paused.id AND d.next_attempt_at IS NOT NULL;

/* Queues a delivery of the test event, which is not in the list of events. */
/* @name insertTestDelivery */
WITH due AS (
  UPDATE webhook_endpoints SET next_due_at = LEAST(next_due_at, now()) WHERE id = :endpointId! AND is_enabled AND NOT is_deleted
  RETURNING id, organization_id, uuidv7() AS event_id
)
INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, test_event, state, next_attempt_at, is_resend)
SELECT due.id, due.organization_id, due.event_id, now(), 'webhook.test', 0, jsonb_build_object('id', due.event_id) || :event!::jsonb,
  'PENDING', now(), true FROM due
RETURNING id;

/* Returns the position of the last delivery in a window of :max deliveries, which begins after a position in the list; no row
   if fewer follow. */
/* @name findEndOfDeliveryWindow */
SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "place!", id FROM webhook_deliveries
WHERE endpoint_id = :endpointId! AND organization_id = :organizationId!
  AND (:beforePlace::text IS NULL OR (created_at, id) < (:beforePlace::timestamp AT TIME ZONE 'UTC', :beforeId::uuid))
ORDER BY created_at DESC, id DESC OFFSET :max!::int - 1 LIMIT 1;

/* Lists the deliveries of an endpoint, newest first, after a position in the list and down to another. The last attempt is a
   JSON object. */
/* @name listWebhookDeliveries */
SELECT d.id, d.event_id, d.event_type, d.sequence::text AS "sequence!", d.state, d.attempt_count, d.created_at,
  to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "place!",
  CASE WHEN d.next_attempt_at IS NULL OR d.is_resend OR e.last_success_at IS NOT NULL OR e.hour_attempts < 10 THEN d.next_attempt_at
    ELSE GREATEST(d.next_attempt_at, e.hour_began_at + interval '1 hour') END AS next_attempt_at,
  (SELECT json_build_object('number', a.number, 'startedAt', a.started_at, 'durationMs', a.duration_ms, 'status', a.status,
      'error', a.error, 'responseExcerpt', a.response_excerpt)
    FROM webhook_attempts a WHERE a.delivery_id = d.id AND a.delivery_created_at = d.created_at ORDER BY a.number DESC LIMIT 1) AS last_attempt
FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
WHERE d.endpoint_id = :endpointId! AND d.organization_id = :organizationId!
  AND (:beforePlace::text IS NULL OR (d.created_at, d.id) < (:beforePlace::timestamp AT TIME ZONE 'UTC', :beforeId::uuid))
  AND (:endPlace::text IS NULL OR (d.created_at, d.id) >= (:endPlace::timestamp AT TIME ZONE 'UTC', :endId::uuid))
  AND (:states::text[] IS NULL OR d.state = ANY (:states))
  AND (:types::text[] IS NULL OR d.event_type = ANY (:types))
  AND (:eventId::uuid IS NULL OR d.event_id = :eventId)
ORDER BY d.created_at DESC, d.id DESC LIMIT :max!;

/* @name findWebhookDelivery */
SELECT d.id, d.event_id, d.event_type, d.sequence::text AS "sequence!", d.state, d.attempt_count, d.created_at,
  CASE WHEN d.next_attempt_at IS NULL OR d.is_resend OR e.last_success_at IS NOT NULL OR e.hour_attempts < 10 THEN d.next_attempt_at
    ELSE GREATEST(d.next_attempt_at, e.hour_began_at + interval '1 hour') END AS next_attempt_at,
  d.test_event, d.event_recorded_at,
  (SELECT json_agg(json_build_object('number', a.number, 'startedAt', a.started_at, 'durationMs', a.duration_ms, 'status', a.status,
      'error', a.error, 'responseExcerpt', a.response_excerpt) ORDER BY a.number)
    FROM webhook_attempts a WHERE a.delivery_id = d.id AND a.delivery_created_at = d.created_at) AS attempts
FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
WHERE d.id = :id! AND d.endpoint_id = :endpointId! AND d.organization_id = :organizationId!;

/* @name findEventOfDelivery */
SELECT id, sequence::text AS "sequence!", type, data, actor_type, actor_id, client_id, client_name, request_id, occurred_at FROM events
WHERE id = :eventId! AND recorded_at = :recordedAt! AND organization_id = :organizationId!;

/* Makes a delivery due now for one more attempt. Returns no row if an attempt is running or already requested. */
/* @name resendWebhookDelivery */
WITH asked AS (
  UPDATE webhook_deliveries d SET next_attempt_at = now(), is_resend = true
  WHERE d.id = :id! AND d.endpoint_id = :endpointId! AND d.organization_id = :organizationId!
    AND NOT d.is_resend AND (d.leased_until IS NULL OR d.leased_until <= clock_timestamp())
  RETURNING d.endpoint_id
), due AS (
  UPDATE webhook_endpoints e SET next_due_at = LEAST(e.next_due_at, now()) FROM asked WHERE e.id = asked.endpoint_id
)
SELECT endpoint_id FROM asked;

/* Takes the lock that allows only one recovery of an endpoint at a time. The transaction's end releases it. */
/* @name tryLockRecovery */
SELECT pg_try_advisory_xact_lock(hashtextextended('webhooks.recover ' || :endpointId!::text, 0)) AS "is_locked!";

/* Makes the matching events of a period pending if they have no successful or pending delivery. Failed deliveries
   become pending again; events without a delivery get one. */
/* @name recoverWebhookDeliveries */
WITH endpoint AS (
  SELECT id, organization_id, event_types, created_at FROM webhook_endpoints
  WHERE id = :endpointId! AND organization_id = :organizationId! AND NOT is_deleted
), matching AS (
  SELECT ev.id, ev.recorded_at, ev.type, ev.sequence FROM events ev JOIN endpoint ON ev.organization_id = endpoint.organization_id
  WHERE (ev.type = ANY (endpoint.event_types) OR '*' = ANY (endpoint.event_types))
    AND ev.occurred_at >= GREATEST(:from!::timestamptz, endpoint.created_at) AND (:to::timestamptz IS NULL OR ev.occurred_at <= :to)
    AND NOT EXISTS (
      SELECT FROM webhook_deliveries d
      WHERE d.endpoint_id = :endpointId AND d.event_id = ev.id AND d.state IN ('SUCCEEDED', 'PENDING'))
  ORDER BY ev.sequence LIMIT GREATEST(0, 100000 - (SELECT COALESCE(sum(rows), 0) FROM counted_rows
    WHERE list = 'pending_deliveries' AND owner = :endpointId AND part IS NULL))
), again AS (
  UPDATE webhook_deliveries d SET state = 'PENDING', failed_tries = 0, next_attempt_at = now()
  FROM matching WHERE d.endpoint_id = :endpointId AND d.event_id = matching.id AND d.state IN ('FAILED', 'DISCARDED')
  RETURNING d.event_id
), added AS (
  INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state, next_attempt_at)
  SELECT endpoint.id, endpoint.organization_id, matching.id, matching.recorded_at, matching.type, matching.sequence, 'PENDING', now()
  FROM matching CROSS JOIN endpoint
  WHERE NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = :endpointId AND d.event_id = matching.id)
  ORDER BY matching.sequence
  RETURNING event_id
), due AS (
  UPDATE webhook_endpoints e SET next_due_at = LEAST(e.next_due_at, now()) FROM endpoint WHERE e.id = endpoint.id
)
SELECT (SELECT count(DISTINCT event_id)::int FROM again) + (SELECT count(*)::int FROM added) AS "count!";

/* Returns the secrets that were encrypted with another key than the current one. */
/* @name listWebhookSecretsOfOtherKeys */
SELECT id, secret, previous_secret FROM webhook_endpoints
WHERE NOT is_deleted AND id > :after! AND (NOT starts_with(secret, :keyId!) OR NOT starts_with(previous_secret, :keyId))
ORDER BY id LIMIT :max!;

/* @name replaceWebhookSecret */
UPDATE webhook_endpoints SET secret = :secret!, previous_secret = :previousSecret
WHERE id = :id! AND secret = :secretBefore! AND previous_secret IS NOT DISTINCT FROM :previousSecretBefore::text
RETURNING id;

/* Returns how much the number of endpoints changed per day. */
/* @name listEndpointChanges */
SELECT * FROM @changes_per_day(webhook_endpoints);
