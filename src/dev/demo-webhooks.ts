import type { Tx } from "../core/context.ts";
import { newSecret, webhookCipher } from "../features/webhooks/secret.ts";

/*
 * Creates a webhook endpoint for the demo organization, with deliveries for the tickets that were created in the
 * last two weeks. One delivery failed for good, and some succeeded at the second attempt.
 */

/** The seconds between the event and each of a delivery's ten attempts (rules 30.5). */
const ATTEMPTS_AT = [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 113_705, 185_705, 272_105];

const DESCRIPTION = "Receiver of the development server";

/** Updates the endpoint's URL to that of the running receiver, whose port may have changed. */
export const moveReceiver = (tx: Tx, url: string) =>
  tx.db.query("UPDATE webhook_endpoints SET url = $1 WHERE description = $2 AND url <> $1", [
    url,
    DESCRIPTION,
  ]);

type Endpoint = { organizationId: string; creator: string; url: string };

/**
 * Adds the webhook endpoint, and the events that it received. Call after the tickets exist, and before the first
 * event.
 */
export const plantWebhooks = (tx: Tx, { organizationId, creator, url }: Endpoint) =>
  tx.db.query(
    `WITH endpoint AS (
       INSERT INTO webhook_endpoints (organization_id, url, description, event_types, secret, created_by_type, created_by_id,
         last_success_at, created_at)
       VALUES ($1::uuid, $2, $6, ARRAY['*'], $3, 'user', $4::uuid, now() - interval '1 day',
         now() - interval '15 days')
       RETURNING id
     ), ticket AS (
       SELECT t.*, u.email, u.first_name, u.last_name, o.name AS organization_name,
         row_number() OVER (ORDER BY t.created_at, t.id) AS place,
         to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS time
       FROM tickets t JOIN users u ON u.id = t.reporter_id JOIN organizations o ON o.id = t.organization_id
       WHERE t.organization_id = $1 AND t.created_at > now() - interval '14 days'
     ), event AS (
       INSERT INTO events (id, organization_id, sequence, type, object_id, data, actor_type, actor_id, occurred_at, recorded_at,
         reach_match, reach_paths)
       SELECT uuidv7(created_at - now()), $1, place, 'ticket.created', id, jsonb_build_object('object', jsonb_build_object(
           'id', id, 'number', number, 'subject', subject, 'category', category, 'status', 'OPEN', 'organizationId', $1,
           'organizationName', organization_name, 'reporter', jsonb_build_object(
             'id', reporter_id, 'email', email, 'firstName', first_name, 'lastName', last_name),
           'pagePath', page_path, 'browser', browser, 'appVersion', app_version, 'createdAt', time, 'lastActivityAt', time,
           'messageCount', 1)),
         'user', reporter_id, created_at, created_at, 'any', unit_paths(ARRAY(
           SELECT m.unit_id FROM membership_units m WHERE m.organization_id = $1 AND m.user_id = ticket.reporter_id))
       FROM ticket
       RETURNING id, sequence, recorded_at
     ), numbering AS (
       INSERT INTO event_sequences (organization_id, last_sequence) SELECT $1, count(*) FROM event
     ), delivery AS (
       INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state,
         attempt_count, failed_tries, created_at)
       SELECT endpoint.id, $1, event.id, recorded_at, 'ticket.created', sequence, CASE WHEN tries = 10 THEN 'FAILED' ELSE 'SUCCEEDED' END,
         tries, tries - CASE WHEN tries = 10 THEN 0 ELSE 1 END, recorded_at
       FROM event CROSS JOIN endpoint
       CROSS JOIN LATERAL (SELECT CASE WHEN sequence = 7 THEN 10 WHEN sequence % 9 = 0 THEN 2 ELSE 1 END AS tries) outcome
       RETURNING id, created_at, attempt_count, state
     )
     INSERT INTO webhook_attempts (delivery_id, delivery_created_at, number, started_at, duration_ms, status, response_excerpt)
     SELECT id, created_at, number, created_at + make_interval(secs => ($5::int[])[number]), 20 + abs(hashtext(id::text || number)) % 80,
       CASE WHEN is_success THEN 200 ELSE 503 END, CASE WHEN is_success THEN 'ok' ELSE 'Try again later' END
     FROM delivery CROSS JOIN generate_series(1, attempt_count) number
     CROSS JOIN LATERAL (SELECT state = 'SUCCEEDED' AND number = attempt_count AS is_success) outcome`,
    [organizationId, url, webhookCipher(tx.app).encrypt(newSecret()), creator, ATTEMPTS_AT, DESCRIPTION],
  );
