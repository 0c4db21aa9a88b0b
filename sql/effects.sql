/* What a transaction leaves behind for others to see. */

/* @name insertAuditEvent */
INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id,
  subject_user_id, subject_unit_ids, is_above_units, mentioned_unit_ids)
VALUES (:action!, :actorId, :targetType, :targetId, :organizationId, :metadata!, :ip, :requestId,
  :subjectUserId, :subjectUnitIds!::uuid[], :isAboveUnits!, :mentionedUnitIds::uuid[]);

/* The same for each of these users, announced on commit: ids only, so many lines in a NOTIFY, whose payload ends at 8,000
   bytes. */
/* @name insertNotifications */
WITH written AS (
  INSERT INTO notifications (user_id, type, data) SELECT unnest(:userIds!::uuid[]), :type!, :data!
  RETURNING id, user_id
), lines AS (
  SELECT id, user_id || ' ' || id AS line, (row_number() OVER () - 1) / :mostLines!::int AS part FROM written
)
SELECT array_agg(id) AS "ids!", pg_notify('notifications', string_agg(line, E'\n')) IS NULL AS "sent"
FROM lines GROUP BY part;

/* @name announceNotifications */
SELECT pg_notify('notifications', :payload!) IS NULL AS "sent";
