-- no-transaction
-- Queues the events from before 0040, without blocking anybody; again after an interruption, without queueing any twice.
INSERT INTO audit_unsealed (event_id, time, organization_id)
SELECT e.id, e.time, e.organization_id FROM audit_events e
WHERE NOT EXISTS (SELECT FROM audit_unsealed w WHERE w.event_id = e.id)
  AND NOT EXISTS (SELECT FROM audit_seals s CROSS JOIN unnest(s.event_ids) AS sealed (id) WHERE sealed.id = e.id)
ORDER BY e.time, e.id;
