/* Writes of audit events, notifications and events for other systems, in the transaction that causes them. */

/* Inserts audit events. `given` has a JSON array of objects with these columns. */
/* @name insertAuditEvents */
INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id,
  subject_user_id, subject_unit_ids, is_above_units, mentioned_unit_ids, actor_type, api_key_id, client_id, client_name, grant_id)
SELECT action, "actorId", "targetType", "targetId", "organizationId", metadata, ip, "requestId",
  "subjectUserId", "subjectUnitIds", "isAboveUnits", "mentionedUnitIds", "actorType", "apiKeyId", "clientId", "clientName", "grantId"
FROM jsonb_to_recordset(:given!::jsonb -> 'events') AS event (action text, "actorId" uuid, "targetType" text, "targetId" uuid,
  "organizationId" uuid, metadata jsonb, ip text, "requestId" text, "subjectUserId" uuid, "subjectUnitIds" uuid[],
  "isAboveUnits" boolean, "mentionedUnitIds" uuid[], "actorType" text, "apiKeyId" uuid, "clientId" text, "clientName" text, "grantId" uuid);

/* Writes an event to the outbox, with the units whose administrators may read it: the given units, and for a
   person's record the units to which the person is linked. `since` is the time when the record was created. If the
   person left and returned after that time, the person's units are not included. */
/* @name insertEvent */
WITH reached AS (
  SELECT :unitIds!::uuid[] || ARRAY(
    SELECT mu.unit_id FROM unit_members mu
    WHERE mu.user_id = :userId::uuid AND mu.organization_id = :organizationId::uuid AND NOT EXISTS (
      SELECT FROM memberships m
      WHERE m.user_id = mu.user_id AND m.organization_id = mu.organization_id AND m.reached_from > :since::timestamptz)) AS units
)
INSERT INTO event_outbox (organization_id, type, object_id, data, actor_type, actor_id, client_id, client_name, request_id, is_feed_only,
  reach_match, reach_paths)
SELECT :organizationId::uuid, :type!, :objectId!::uuid, :data!::jsonb, :actorType::text, :actorId::uuid, :clientId::text, :clientName::text, :requestId::text,
  :isFeedOnly!::boolean, :reachMatch!,
  CASE WHEN :reachMatch = 'none' OR cardinality(units) = 0 THEN '{}'::text[] ELSE unit_paths(units) END
FROM reached;

/* Inserts several events as insertEvent does, in one round trip. `given` is a JSON array of its parameters. */
/* @name insertEvents */
INSERT INTO event_outbox (organization_id, type, object_id, data, actor_type, actor_id, client_id, client_name, request_id, is_feed_only,
  reach_match, reach_paths)
SELECT g."organizationId", g.type, g."objectId", g.data, g."actorType", g."actorId", g."clientId", g."clientName", g."requestId", g."isFeedOnly", g."reachMatch",
  CASE WHEN g."reachMatch" = 'none' OR cardinality(reached.units) = 0 THEN '{}'::text[] ELSE unit_paths(reached.units) END
FROM (
  SELECT row_number() OVER () AS nth, *
  FROM jsonb_to_recordset(:given!::jsonb -> 'events') AS e ("organizationId" uuid, type text, "objectId" uuid, data jsonb, "actorType" text,
    "actorId" uuid, "clientId" text, "clientName" text, "requestId" text, "isFeedOnly" boolean, "reachMatch" text, "unitIds" uuid[], "userId" uuid, since timestamptz)) g
CROSS JOIN LATERAL (
  SELECT g."unitIds" || ARRAY(
    SELECT mu.unit_id FROM unit_members mu
    WHERE mu.user_id = g."userId" AND mu.organization_id = g."organizationId" AND NOT EXISTS (
      SELECT FROM memberships m
      WHERE m.user_id = mu.user_id AND m.organization_id = mu.organization_id AND m.reached_from > g.since)) AS units) reached
ORDER BY g.nth;

/* Inserts one notification for each of these users, and announces them at the commit. The payload of NOTIFY
   contains only ids, because it may have at most 8,000 bytes. */
/* @name insertNotifications */
WITH written AS (
  INSERT INTO notifications (user_id, type, data) SELECT unnest(:userIds!::uuid[]), :type!, :data!
  RETURNING id, user_id, type, data, read_at, created_at, is_product
), announced AS (
  SELECT pg_notify('notifications', string_agg(user_id || ' ' || id, E'\n')) FROM written
)
SELECT id, type, data, read_at, created_at, is_product FROM written, announced;

/* Writes what the product reports, in one statement: audit entries, events with the units of their reach (in the form of insertEvent), and
   notifications, which are announced like those of insertNotifications. `given` has a JSON array of each. */
/* @name insertReported */
WITH entries AS (
  INSERT INTO audit_events (action, actor_id, actor_type, target_type, target_id, organization_id, metadata, ip, request_id,
    subject_user_id, subject_unit_ids, is_above_units, is_product)
  SELECT g.action, :actorId::uuid, CASE WHEN :isMachine!::boolean THEN 'service_account' END, g."targetType", g."targetId", :organizationId!::uuid,
    g.metadata, :ip::text, :requestId::text, g."userId", CASE WHEN g."unitId" IS NULL THEN '{}'::uuid[] ELSE ARRAY[g."unitId"] END,
    g."unitId" IS NULL AND g."userId" IS NULL, true
  FROM jsonb_to_recordset(:given!::jsonb -> 'audit') AS g (action text, "targetType" text, "targetId" uuid, metadata jsonb, "unitId" uuid, "userId" uuid)
), outgoing AS (
  INSERT INTO event_outbox (id, organization_id, type, object_id, data, actor_type, actor_id, request_id, is_product, reach_match, reach_paths)
  SELECT g.id, :organizationId, g.type, g."objectId", g.data,
    CASE WHEN :isMachine THEN 'service_account' WHEN :actorId IS NOT NULL THEN 'user' END, :actorId, :requestId, true,
    CASE WHEN g."unitId" IS NULL AND g."userId" IS NULL THEN 'none' ELSE 'any' END,
    CASE WHEN cardinality(reached.units) = 0 THEN '{}'::text[] ELSE unit_paths(reached.units) END
  FROM (
    SELECT row_number() OVER () AS nth, *
    FROM jsonb_to_recordset(:given -> 'events') AS e (id uuid, type text, "objectId" uuid, data jsonb, "unitId" uuid, "userId" uuid)) g
  CROSS JOIN LATERAL (SELECT CASE
    WHEN g."unitId" IS NOT NULL THEN ARRAY[g."unitId"]
    WHEN g."userId" IS NOT NULL THEN ARRAY(
      SELECT mu.unit_id FROM unit_members mu WHERE mu.user_id = g."userId" AND mu.organization_id = :organizationId)
    ELSE '{}'::uuid[] END AS units) reached
  ORDER BY g.nth
), notified AS (
  INSERT INTO notifications (user_id, type, data, is_product, is_mailed)
  SELECT person.id, g.type, g.data, true, person.id = ANY (g."mailedIds")
  FROM jsonb_to_recordset(:given -> 'notifications') AS g (type text, data jsonb, "userIds" uuid[], "mailedIds" uuid[])
  CROSS JOIN LATERAL unnest(g."userIds") AS person (id)
  RETURNING id, user_id
)
SELECT pg_notify('notifications', string_agg(user_id || ' ' || id, E'\n')) IS NULL AS "announced"
FROM (SELECT user_id, id, (row_number() OVER () - 1) / 100 AS batch FROM notified) batches GROUP BY batch;

/* Returns a live member of the organization with what a mail to them needs. */
/* @name findRecipient */
SELECT u.id, u.email, u.language FROM memberships m JOIN users u ON u.id = m.user_id AND NOT u.is_deleted
WHERE m.organization_id = :organizationId! AND m.user_id = :userId! AND NOT m.is_deleted;

/* Returns these people with the number of the product's mails to them in the last hour, at most :max. Call under their locks. */
/* @name listMailable */
SELECT u.id AS "id!", u.email AS "email!", u.language AS "language!", (
  SELECT count(*) FROM (
    SELECT FROM notifications n WHERE n.user_id = u.id AND n.is_mailed AND n.created_at > now() - interval '1 hour' LIMIT :max!) mailed)::int AS "mailed!"
FROM users u
WHERE u.id = ANY (:userIds!::uuid[]) AND NOT u.is_deleted;

/* Returns a row if the link in a queued mail still works: it has not expired and has not been used, replaced or
   revoked. */
/* @name findLiveLink */
SELECT 1 AS live FROM email_verification_tokens
WHERE token_hash = :tokenHash! AND used_at IS NULL AND NOT is_deleted AND expires_at > now()
UNION ALL
SELECT 1 FROM password_reset_tokens
WHERE token_hash = :tokenHash! AND used_at IS NULL AND NOT is_deleted AND expires_at > now()
UNION ALL
SELECT 1 FROM user_invitations
WHERE token_hash = :tokenHash! AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now()
UNION ALL
SELECT 1 FROM email_changes
WHERE :tokenHash IN (old_token_hash, new_token_hash) AND canceled_at IS NULL AND completed_at IS NULL AND expires_at > now()
UNION ALL
SELECT 1 FROM email_changes
WHERE undo_token_hash = :tokenHash AND undone_at IS NULL AND undo_until > now();
