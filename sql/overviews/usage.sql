/* Returns how much the usage of each limit changed per day: +1 for each record that began to count, -1 for each
   that stopped counting. Live and ended records are found by separate indexes. A seat is a member, or an invitation
   until it is accepted, revoked or expired, without the times in which it held none. The end of an invitation that was
   ended at once may be rounded to before its beginning. */
/* @name listUsageChanges */
SELECT name AS "name!", to_char(time AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", sum(change)::int AS "change!"
FROM (
  SELECT 'members' AS name, m.joined_at AS time, 1 AS change FROM memberships m
  WHERE m.organization_id = :organizationId! AND NOT m.is_deleted AND m.joined_at >= :from!::timestamptz
  UNION ALL
  SELECT 'members', turn.time, turn.change
  FROM memberships m CROSS JOIN LATERAL (VALUES (m.joined_at, 1), (m.deleted_at, -1)) turn (time, change)
  WHERE m.organization_id = :organizationId AND m.is_deleted AND m.deleted_at >= :from
  UNION ALL
  SELECT 'members', turn.time, turn.change
  FROM user_invitations i
  CROSS JOIN LATERAL unnest(tstzmultirange(tstzrange(i.created_at, GREATEST(i.created_at,
    LEAST(i.expires_at, i.accepted_at, CASE WHEN i.is_deleted THEN i.deleted_at END)))) - i.without_seat) AS held (seat)
  CROSS JOIN LATERAL (VALUES (lower(held.seat), 1), (upper(held.seat), -1)) turn (time, change)
  WHERE i.organization_id = :organizationId AND i.expires_at >= :from
  UNION ALL
  SELECT 'units', turn.time, turn.change
  FROM units u CROSS JOIN LATERAL (VALUES (u.created_at, 1), (u.deleted_at, -1)) turn (time, change)
  WHERE u.organization_id = :organizationId
  UNION ALL
  SELECT 'serviceAccounts', turn.time, turn.change
  FROM service_accounts s CROSS JOIN LATERAL (VALUES (s.created_at, 1), (s.deleted_at, -1)) turn (time, change)
  WHERE s.organization_id = :organizationId
  UNION ALL
  SELECT 'webhookEndpoints', turn.time, turn.change
  FROM webhook_endpoints e CROSS JOIN LATERAL (VALUES (e.created_at, 1), (e.deleted_at, -1)) turn (time, change)
  WHERE e.organization_id = :organizationId
  UNION ALL
  SELECT 'todos', t.created_at, 1 FROM todos t
  WHERE t.organization_id = :organizationId AND NOT t.is_deleted AND t.created_at >= :from
  UNION ALL
  SELECT 'todos', turn.time, turn.change
  FROM todos t CROSS JOIN LATERAL (VALUES (t.created_at, 1), (t.deleted_at, -1)) turn (time, change)
  WHERE t.organization_id = :organizationId AND t.is_deleted AND t.deleted_at >= :from
) changes
WHERE time >= :from AND time <= now()
GROUP BY 1, 2;
