/* What a transaction leaves behind for others to see. */

/* @name insertAuditEvent */
INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id,
  subject_user_id, subject_unit_ids, is_above_units, mentioned_unit_ids)
VALUES (:action!, :actorId, :targetType, :targetId, :organizationId, :metadata!, :ip, :requestId,
  :subjectUserId, :subjectUnitIds!::uuid[], :isAboveUnits!, :mentionedUnitIds::uuid[]);

/* The same for each of these users, announced at the commit: ids only, as a payload ends at 8,000 bytes. */
/* @name insertNotifications */
WITH written AS (
  INSERT INTO notifications (user_id, type, data) SELECT unnest(:userIds!::uuid[]), :type!, :data!
  RETURNING id, user_id, type, data, read_at, created_at
), announced AS (
  SELECT pg_notify('notifications', string_agg(user_id || ' ' || id, E'\n')) FROM written
)
SELECT id, type, data, read_at, created_at FROM written, announced;
