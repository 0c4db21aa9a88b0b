/* Daily counts for an organization's overview: one row for each day with a count. Every query has the same
   conditions as the list that it summarizes, so that both count the same rows. `from` is the beginning of the
   period. */

/* @name countJoined */
SELECT to_char(m.joined_at AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM memberships m
WHERE m.organization_id = :organizationId! AND NOT m.is_deleted AND m.joined_at >= :from!::timestamptz
  AND (:units::uuid[] IS NULL OR @linked(m.user_id, :units))
GROUP BY 1;

/* Counts the active members by day (UTC): only members whose `lastActiveOn` the caller may see. */
/* @name countActive */
SELECT to_char(a.day, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM member_activity a
JOIN memberships m ON m.organization_id = a.organization_id AND m.user_id = a.user_id AND NOT m.is_deleted
WHERE a.organization_id = :organizationId! AND a.day >= :firstDay!::date
  AND (:units::uuid[] IS NULL OR @linked(m.user_id, :units))
  AND (:manageableUnits::uuid[] IS NULL OR @linked(m.user_id, :manageableUnits))
GROUP BY 1;

/* Counts failed sign-ins by day: only those of members whose sign-ins the caller may see. These events belong to
   accounts and have no organization. */
/* @name countFailedSignIns */
SELECT to_char(e.time AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM audit_events e
WHERE e.action = 'LOGIN_FAILED' AND e.organization_id IS NULL AND e.time >= :from!::timestamptz
  AND e.target_id IN (
    SELECT m.user_id FROM memberships m
    WHERE m.organization_id = :organizationId! AND NOT m.is_deleted
      AND (:units::uuid[] IS NULL OR @linked(m.user_id, :units))
      AND (:manageableUnits::uuid[] IS NULL OR @linked(m.user_id, :manageableUnits)))
GROUP BY 1;

/* Counts the valid invitations that expire within 48 hours. */
/* @name countExpiringInvitations */
SELECT count(*)::int AS "total!"
FROM pending_invitations i
WHERE i.organization_id = :organizationId! AND i.is_usable AND i.expires_at <= now() + interval '48 hours'
  AND (:units::uuid[] IS NULL OR @invited(i, :units));

/* Counts the active API keys that expire within seven days. */
/* @name countExpiringKeys */
SELECT count(*)::int AS "total!"
FROM api_keys k JOIN service_accounts s ON s.id = k.service_account_id AND NOT s.is_deleted
WHERE k.organization_id = :organizationId! AND k.revoked_at IS NULL AND k.replaced_by_id IS NULL
  AND k.expires_at > now() AND k.expires_at <= now() + interval '7 days'
  AND (:units::uuid[] IS NULL OR NOT EXISTS (
    SELECT FROM service_account_assignments a
    WHERE a.service_account_id = s.id AND (a.unit_id <> ALL (:units)) IS NOT FALSE));

/* Counts the webhook endpoints that need attention: those that are enabled and have failed since their last success, and those
   that the service disabled. */
/* @name countFailingWebhooks */
SELECT count(*)::int AS "total!" FROM webhook_endpoints
WHERE organization_id = :organizationId! AND NOT is_deleted
  AND (is_enabled AND failing_since IS NOT NULL OR NOT is_enabled AND disabled_reason IN ('FAILING', 'GONE'));

/* Returns the units with the most members. `depth` is 0 for a root of the unit tree. */
/* @name listLargestUnits */
SELECT u.id, u.name, u.members AS "members!",
  (SELECT count(*)::int - 1 FROM unit_ancestors(ARRAY[u.id])) AS "depth!"
FROM (
  SELECT u.id, u.name, u.search_name, (SELECT count(*)::int FROM unit_members mu WHERE mu.unit_id = u.id) AS members
  FROM units u
  WHERE u.organization_id = :organizationId! AND NOT u.is_deleted AND (:units::uuid[] IS NULL OR u.id = ANY (:units))
  ORDER BY members DESC, u.search_name COLLATE natural_order, u.id
  LIMIT :max!
) u
ORDER BY u.members DESC, u.search_name COLLATE natural_order, u.id;

/* @name deleteOldActivity */
DELETE FROM member_activity WHERE (organization_id, user_id, day) IN (
  SELECT organization_id, user_id, day FROM member_activity WHERE day < (now() AT TIME ZONE 'UTC')::date - 90 LIMIT :max!)
RETURNING day;
