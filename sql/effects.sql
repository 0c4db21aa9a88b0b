/* What a transaction leaves behind for others to see. */

/* @name insertAuditEvent */
INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id,
  subject_user_id, subject_unit_ids, is_above_units, mentioned_unit_ids)
VALUES (:action!, :actorId, :targetType, :targetId, :organizationId, :metadata!, :ip, :requestId,
  :subjectUserId, :subjectUnitIds!::uuid[], :isAboveUnits!, :mentionedUnitIds::uuid[]);

/* The same for each of these users. */
/* @name insertNotifications */
INSERT INTO notifications (user_id, type, data) SELECT unnest(:userIds!::uuid[]), :type!, :data!
RETURNING id, user_id;

/* One NOTIFY a transaction, ids only: NOTIFY serializes commits, and its payload ends at 8,000 bytes. */
/* @name announceNotifications */
SELECT pg_notify('notifications', :payload!) IS NULL AS "sent";
