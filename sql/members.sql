/* Members of an organization. All writes are under the organization's lock. Only the organization that a user
   used last is written under the user's lock. */

/* `visible`: only roles and units in these units are returned, for callers who hold the permission only there.
   `manageableUnits`: only members of these units have their second factor and last activity returned.

   Units are read by subqueries: for an array constant, the planner estimates each element, which takes milliseconds.
   `IS TRUE` keeps the planner from joining the members of the units: it hashes them, walks the members in order, and
   stops after a page. */
/* @list members from memberships m by organization_id, user_id */
/* @columns */ m.id, m.user_id, m.joined_at, u.email, u.first_name, u.last_name,
  (SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, given.name, a.source)
      ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, given.name COLLATE natural_order, a.source, a.id)
    FROM membership_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units given ON given.id = a.unit_id
    WHERE a.membership_id = m.id AND (:visible::uuid[] IS NULL OR a.unit_id IN (SELECT unnest(:visible::uuid[])))) AS assignments,
  (SELECT json_agg(json_build_array(linked.id, linked.name) ORDER BY linked.name COLLATE natural_order, linked.id)
    FROM unit_members mu JOIN units linked ON linked.id = mu.unit_id
    WHERE mu.membership_id = m.id
      AND (:visible IS NULL OR mu.unit_id IN (SELECT unnest(:visible::uuid[])))) AS units,
  seen.two_factor_enabled AS "two_factor_enabled?", seen.last_active_on AS "last_active_on?"
/* @join */ JOIN users u ON u.id = m.user_id
LEFT JOIN LATERAL (
  SELECT u.two_factor_enabled_at IS NOT NULL AS two_factor_enabled, (
    SELECT to_char(max(a.day), 'YYYY-MM-DD') FROM member_activity a
    WHERE a.organization_id = m.organization_id AND a.user_id = m.user_id) AS last_active_on
  WHERE (:manageableUnits::uuid[] IS NULL OR EXISTS (
    SELECT FROM unit_members mu WHERE mu.user_id = m.user_id AND mu.unit_id IN (SELECT unnest(:manageableUnits::uuid[]))))
) seen ON true
/* @where */ m.organization_id = :organizationId! AND NOT m.is_deleted
/* @if search */ search_finds(m.search_text, :search)
/* @if member */ m.user_id = ANY (:member)
/* @if hasTwoFactor */ EXISTS (
    SELECT FROM users u WHERE u.id = m.user_id AND (u.two_factor_enabled_at IS NOT NULL) = :hasTwoFactor)
/* @if units */ (m.user_id IN (
    SELECT mu.user_id FROM unit_members mu WHERE mu.unit_id = ANY (ARRAY(SELECT unnest(:units::uuid[]))))) IS TRUE
/* @sort lastName */ m.sort_name COLLATE natural_order
/* @sort email */ m.sort_email
/* @sort joinedAt */ m.joined_at
/* @total memberships(organizationId) */
/* @first by lastName asc */
/* @first by email asc */
/* @first units by lastName asc */
/* @find findMember */ m.user_id = :userId! AND (:units::uuid[] IS NULL OR @linked(m.user_id, :units));

/* Returns the units in which a member has a link or an assignment. */
/* @name listUnitsOfMember */
SELECT mu.unit_id AS "unit_id!" FROM unit_members mu
WHERE mu.user_id = :userId! AND mu.organization_id = :organizationId!
UNION
SELECT a.unit_id FROM memberships m JOIN membership_assignments a ON a.membership_id = m.id
WHERE m.user_id = :userId AND m.organization_id = :organizationId AND NOT m.is_deleted AND a.unit_id IS NOT NULL;

/* Whether a connection gives a member a role. */
/* @name hasRoleByConnection */
SELECT EXISTS (
  SELECT FROM memberships m JOIN membership_assignments a ON a.membership_id = m.id
  WHERE m.user_id = :userId! AND m.organization_id = :organizationId! AND NOT m.is_deleted AND a.source = 'sso'
) AS "has_role!";

/* @name unlinkUnits */
UPDATE membership_units SET is_deleted = true, deleted_at = now()
WHERE membership_id = :membershipId! AND unit_id = ANY (:unitIds!::uuid[]) AND organization_id = :organizationId! AND NOT is_deleted;

/* @name exportMemberships */
SELECT m.id, m.joined_at, o.id AS organization_id, o.name AS organization_name, o.slug AS organization_slug
FROM memberships m
JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
WHERE m.user_id = :userId! AND NOT m.is_deleted AND (m.joined_at, m.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY m.joined_at, m.id
LIMIT :limit!;

/* @name exportRoles */
SELECT a.membership_id, r.id AS role_id, r.name AS role_name, u.id AS "unit_id?", u.name AS "unit_name?", a.source
FROM membership_assignments a
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = a.unit_id
WHERE a.membership_id = ANY (:memberships!::uuid[]) AND u.is_deleted IS NOT TRUE
ORDER BY r.name COLLATE natural_order, a.id;

/* @name exportUnits */
SELECT mu.membership_id AS "membership_id!", u.id, u.name
FROM unit_members mu
JOIN units u ON u.id = mu.unit_id AND NOT u.is_deleted
WHERE mu.membership_id = ANY (:memberships!::uuid[])
ORDER BY u.name COLLATE natural_order, u.id;

/* Returns how much the number of seats changed per day: a seat is a member, or an invitation until it is accepted, revoked or
   expired, without the times in which it held none. Live and ended records are found by separate indexes. The end of an
   invitation that was ended at once may be rounded to before its beginning. */
/* @name listSeatChanges */
SELECT to_char(time AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", sum(change)::int AS "change!"
FROM (
  SELECT m.joined_at AS time, 1 AS change FROM memberships m
  WHERE m.organization_id = :organizationId! AND NOT m.is_deleted AND m.joined_at >= :from!::timestamptz
  UNION ALL
  SELECT turn.time, turn.change
  FROM memberships m CROSS JOIN LATERAL (VALUES (m.joined_at, 1), (m.deleted_at, -1)) turn (time, change)
  WHERE m.organization_id = :organizationId AND m.is_deleted AND m.deleted_at >= :from
  UNION ALL
  SELECT turn.time, turn.change
  FROM user_invitations i
  CROSS JOIN LATERAL unnest(tstzmultirange(tstzrange(i.created_at, GREATEST(i.created_at,
    LEAST(i.expires_at, i.accepted_at, CASE WHEN i.is_deleted THEN i.deleted_at END)))) - i.without_seat) AS held (seat)
  CROSS JOIN LATERAL (VALUES (lower(held.seat), 1), (upper(held.seat), -1)) turn (time, change)
  WHERE i.organization_id = :organizationId AND i.expires_at >= :from
) changes
WHERE time >= :from AND time <= now()
GROUP BY 1;
