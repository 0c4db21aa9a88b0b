/* Lists the staff to notify about a ticket: platform administrators, and members of its organization who may read
   the ticket now. Returns the :max oldest accounts. With `participants`, only staff who wrote a message or note on
   the ticket. */
/* @name listStaff */
WITH granting AS MATERIALIZED (
  SELECT r.id FROM roles r
  WHERE (r.organization_id = :organizationId::uuid OR r.organization_id IS NULL) AND NOT r.is_deleted
    AND 'Helpdesk.Read' = ANY (r.permissions)
), staff AS (
  SELECT u.id, u.created_at, true AS is_platform
  FROM users u
  WHERE u.is_platform_admin AND NOT u.is_deleted
  UNION
  SELECT u.id, u.created_at, false
  FROM organizations o
  CROSS JOIN LATERAL (
    SELECT a.membership_id FROM membership_assignments a
    WHERE a.organization_id = o.id AND a.unit_id IS NULL
      AND a.role_id = ANY (ARRAY(SELECT g.id FROM granting g))
    UNION ALL
    SELECT a.membership_id FROM membership_assignments a
    WHERE a.role_id = ANY (ARRAY(SELECT g.id FROM granting g)) AND a.unit_id IN (
      SELECT over.ancestor_id FROM unit_ancestors(ARRAY(
        SELECT mu.unit_id FROM unit_members mu
        WHERE mu.user_id = :reporterId! AND mu.organization_id = o.id
          AND NOT EXISTS (
            SELECT FROM tickets t JOIN memberships m ON m.user_id = t.reporter_id AND m.organization_id = t.organization_id
            WHERE t.id = :ticketId! AND m.reached_from > t.created_at))) over)
  ) holding
  -- OFFSET 0 prevents a join: the planner overestimates the number of staff and would read all memberships.
  CROSS JOIN LATERAL (
    SELECT m.user_id FROM memberships m WHERE m.id = holding.membership_id AND NOT m.is_deleted OFFSET 0
  ) m
  JOIN users u ON u.id = m.user_id AND NOT u.is_deleted AND NOT u.is_platform_admin
  WHERE o.id = :organizationId AND NOT o.is_deleted AND o.status = 'ACTIVE'
)
SELECT s.id AS "id!", s.is_platform AS "is_platform!"
FROM staff s
WHERE s.id <> :reporterId! AND s.id <> :actorId!
  AND (NOT :participants!::boolean OR EXISTS (
    SELECT FROM ticket_messages m WHERE m.ticket_id = :ticketId! AND m.author_id = s.id AND m.as_staff))
ORDER BY s.created_at, s.id
LIMIT :max!;
