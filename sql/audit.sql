/* @name insertAuditEvent */
INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id)
VALUES (:action!, :actorId, :targetType, :targetId, :organizationId, :metadata!, :ip, :requestId);
