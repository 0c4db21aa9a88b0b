-- Repairs the totals of lists (migrations/0002_row_counts.sql): psql "$DATABASE_URL" -f recount.sql
-- The lock waits for transactions that changed totals, and others wait for this one, so it may run beside the service.
BEGIN;
LOCK TABLE row_counts, row_count_deltas IN EXCLUSIVE MODE;
DELETE FROM row_counts;
DELETE FROM row_count_deltas;
INSERT INTO row_counts (list, owner, part, rows)
SELECT list, owner, part, count(*)
FROM (
  SELECT 'audit_events' AS list, organization_id AS owner, NULL::uuid AS part FROM audit_events
  UNION ALL SELECT 'memberships', organization_id, NULL FROM memberships WHERE NOT is_deleted
  UNION ALL SELECT 'todos', organization_id, user_id FROM todos WHERE NOT is_deleted
  UNION ALL SELECT 'tickets', organization_id, NULL FROM tickets WHERE NOT is_deleted
  UNION ALL SELECT 'reported_tickets', reporter_id, NULL FROM tickets WHERE NOT is_deleted
  UNION ALL SELECT 'notifications', user_id, NULL FROM notifications WHERE NOT is_deleted
  UNION ALL SELECT 'unread_notifications', user_id, NULL FROM notifications WHERE NOT is_deleted AND read_at IS NULL
  UNION ALL SELECT 'users', NULL, NULL FROM users WHERE NOT is_deleted
  UNION ALL SELECT 'organizations', NULL, NULL FROM organizations WHERE NOT is_deleted
  UNION ALL SELECT 'pending_deliveries', endpoint_id, NULL FROM webhook_deliveries WHERE state = 'PENDING' AND next_attempt_at IS NOT NULL
) counted
GROUP BY GROUPING SETS ((list, owner, part), (list, owner), (list))
HAVING (GROUPING(owner) = 1 OR owner IS NOT NULL) AND (GROUPING(part) = 1 OR part IS NOT NULL);
COMMIT;
