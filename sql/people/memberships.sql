/* Members and their roles. All writes are under the organization's lock, except of a user's last organization,
   which is written under the user's lock. */

/* @name findMembership */
SELECT m.id, o.status
FROM memberships m JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
WHERE m.user_id = :userId! AND m.organization_id = :organizationId! AND NOT m.is_deleted;

/* @name findLiveMemberByEmail */
SELECT m.id FROM users u JOIN memberships m ON m.user_id = u.id AND NOT m.is_deleted
WHERE u.email = :email! AND m.organization_id = :organizationId!;

/* Lists the live memberships of a user by the organization's name, including those in suspended organizations. With a
   session also what it lacks to act there, and by which connection the person would come in; a session that was only proven by
   connections sees the organizations that it was proven for and, after its end, that of its token: :confinedTo. */
/* @name listOwnOrganizations */
SELECT o.id, o.name, o.slug, o.status,
  ARRAY(
    SELECT r.name FROM membership_assignments a JOIN roles r ON r.id = a.role_id
    WHERE a.membership_id = m.id GROUP BY r.name ORDER BY r.name COLLATE natural_order
  ) AS "roles!",
  act.blocked_by AS "blocked_by?", CASE WHEN act.blocked_by = 'SSO_REQUIRED' THEN (
    SELECT c.id FROM sso_connections c
    WHERE c.organization_id = o.id AND c.status = 'ENABLED' AND NOT c.is_deleted
    ORDER BY EXISTS (SELECT FROM sso_identities i WHERE i.connection_id = c.id AND i.user_id = m.user_id) DESC,
      connection_has_domain_of(c.id, m.user_id) DESC, c.created_at, c.id
    LIMIT 1
  ) END AS "connection_id?"
FROM memberships m JOIN organizations o ON o.id = m.organization_id
LEFT JOIN refresh_tokens token ON token.session_id = :sessionId::uuid AND token.user_id = m.user_id
  AND token.revoked_at IS NULL AND token.expires_at > now()
CROSS JOIN LATERAL (SELECT @blocked_by(m.user_id, o.id, token.proof) AS blocked_by OFFSET 0) act
WHERE m.user_id = :userId! AND NOT m.is_deleted AND NOT o.is_deleted
  AND CASE WHEN token.proof IS NULL THEN o.id = COALESCE(:confinedTo::uuid, o.id)
    ELSE token.proof ? 'auth_time' OR token.proof -> 'sso' ? o.id::text END
ORDER BY o.search_name COLLATE natural_order, o.id;

/* @name setLastOrganization */
UPDATE users SET last_organization_id = :organizationId! WHERE id = :userId!;

/* Inserts a membership with its roles, given by hand or by a connection, and units. If the user was a member before, the former membership is
   restored. Returns no row if the user is a live member already. */
/* @name insertMembership */
WITH membership AS (
  INSERT INTO memberships (organization_id, user_id) VALUES (:organizationId!, :userId!)
  ON CONFLICT ON CONSTRAINT memberships_unique DO UPDATE
  SET is_deleted = false, deleted_at = NULL, ended_as = NULL, joined_at = now(), reached_from = now()
  WHERE memberships.is_deleted
  RETURNING id
), given AS (
  SELECT role_id, unit_id FROM unnest(:roleIds!::uuid[], :unitIds!::uuid[]) AS given (role_id, unit_id)
), assigned AS (
  INSERT INTO membership_assignments (membership_id, role_id, unit_id, source, connection_id)
  SELECT membership.id, given.role_id, given.unit_id, CASE WHEN :connectionId::uuid IS NULL THEN 'manual' ELSE 'sso' END, :connectionId::uuid
  FROM membership, given
  ON CONFLICT ON CONSTRAINT membership_assignments_unique DO NOTHING
), linked AS (
  INSERT INTO membership_units (membership_id, unit_id)
  SELECT DISTINCT membership.id, given.unit_id FROM membership, given WHERE given.unit_id IS NOT NULL
  ON CONFLICT ON CONSTRAINT membership_units_unique DO UPDATE SET is_deleted = false, deleted_at = NULL
  WHERE membership_units.is_deleted
)
SELECT id FROM membership;

/* @name insertAssignments */
INSERT INTO membership_assignments (membership_id, role_id, unit_id, source, connection_id)
SELECT :membershipId!, given.role_id, given.unit_id, CASE WHEN :connectionId::uuid IS NULL THEN 'manual' ELSE 'sso' END, :connectionId::uuid
FROM unnest(:roleIds!::uuid[], :unitIds!::uuid[]) AS given (role_id, unit_id)
ON CONFLICT ON CONSTRAINT membership_assignments_unique DO NOTHING;

/* @name deleteAssignments */
DELETE FROM membership_assignments WHERE id = ANY (:ids!::uuid[]) AND organization_id = :organizationId!;

/* @name linkUnits */
INSERT INTO membership_units (membership_id, unit_id)
SELECT :membershipId!, unnest(:unitIds!::uuid[])
ON CONFLICT ON CONSTRAINT membership_units_unique DO UPDATE SET is_deleted = false, deleted_at = NULL
WHERE membership_units.is_deleted;

/* Lets administrators of the member's units see everything that the member ever did in the organization, including
   before the member left and returned. */
/* @name extendReachToHistory */
UPDATE memberships SET reached_from = NULL
WHERE id = :id! AND organization_id = :organizationId! AND reached_from IS NOT NULL
RETURNING id;

/* Lists the assignments of these memberships. With `units`, lists only assignments in these units. */
/* @name listAssignments */
SELECT a.id, a.membership_id, a.role_id, r.name AS role_name, r.permissions, a.unit_id, u.name AS "unit_name?",
  a.source, a.connection_id
FROM membership_assignments a
JOIN roles r ON r.id = a.role_id
LEFT JOIN units u ON u.id = a.unit_id
WHERE a.membership_id = ANY (:memberships!::uuid[]) AND (:units::uuid[] IS NULL OR a.unit_id = ANY (:units))
ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.source, a.id;

/* @name listLinkedUnits */
SELECT mu.membership_id AS "membership_id!", u.id, u.name
FROM unit_members mu JOIN units u ON u.id = mu.unit_id
WHERE mu.membership_id = ANY (:memberships!::uuid[])
  AND (:units::uuid[] IS NULL OR mu.unit_id = ANY (:units))
ORDER BY u.name COLLATE natural_order, u.id;

/* Returns for each of these organizations whether it has another administrator by hand, and whether it has another member: what a
   group of a connection gives may go with the group.
   Each subquery follows the order of an index; otherwise a generic plan would read many rows. */
/* @name findOtherMembers */
SELECT
  EXISTS (
    SELECT FROM membership_assignments a JOIN memberships m ON m.id = a.membership_id
    WHERE a.organization_id = place.id AND a.role_id = :adminRoleId! AND a.unit_id IS NULL AND a.source = 'manual'
      AND m.user_id <> :userId! AND NOT m.is_deleted
  ) AS "is_admin_left!",
  (
    SELECT m.id FROM memberships m
    WHERE m.organization_id = place.id AND m.user_id <> :userId AND NOT m.is_deleted
    ORDER BY m.joined_at LIMIT 1
  ) IS NOT NULL AS "is_anybody_left!"
FROM unnest(:organizationIds!::uuid[]) AS place (id);

/* Returns those of these organizations that have no live member but this user. Like findOtherMembers, the subquery
   follows the order of an index. */
/* @name listOrganizationsOfOnly */
SELECT o.id, o.name FROM organizations o
WHERE o.id = ANY (:organizationIds!::uuid[]) AND NOT o.is_deleted AND (
  SELECT m.id FROM memberships m
  WHERE m.organization_id = o.id AND m.user_id <> :userId! AND NOT m.is_deleted
  ORDER BY m.joined_at LIMIT 1
) IS NULL
ORDER BY o.id;

/* @name deleteMemberships */
WITH ended AS (
  UPDATE memberships SET is_deleted = true, deleted_at = now(), ended_as = :endedAs!
  WHERE id = ANY (:ids!::uuid[]) AND NOT is_deleted
  RETURNING id, organization_id, user_id
), unassigned AS (
  DELETE FROM membership_assignments WHERE membership_id IN (SELECT id FROM ended)
), unlinked AS (
  UPDATE membership_units SET is_deleted = true, deleted_at = now()
  WHERE membership_id IN (SELECT id FROM ended) AND NOT is_deleted
), unlisted AS (
  DELETE FROM break_glass_members b USING ended WHERE b.organization_id = ended.organization_id AND b.user_id = ended.user_id
)
SELECT id FROM ended;

/* @name deleteMembershipsOfOrganization */
WITH ended AS (
  UPDATE memberships SET is_deleted = true, deleted_at = now()
  WHERE organization_id = :organizationId! AND NOT is_deleted
  RETURNING id
), unassigned AS (
  DELETE FROM membership_assignments WHERE membership_id IN (SELECT id FROM ended)
), unlinked AS (
  UPDATE membership_units SET is_deleted = true, deleted_at = now()
  WHERE membership_id IN (SELECT id FROM ended) AND NOT is_deleted
)
SELECT count(*)::int AS "count!" FROM ended;

/* @name listMembershipsOfUser */
SELECT m.id, m.organization_id
FROM memberships m JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
WHERE m.user_id = :userId! AND NOT m.is_deleted
ORDER BY m.organization_id;

/* Returns the oldest live members who hold a permission for the whole organization, with the data for a mail to
   them. */
/* @name listHoldersOf */
SELECT u.id, u.email, u.language, o.name AS organization_name
FROM memberships m
JOIN users u ON u.id = m.user_id AND NOT u.is_deleted
JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
WHERE m.organization_id = :organizationId! AND NOT m.is_deleted AND EXISTS (
  SELECT FROM membership_assignments a JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
  WHERE a.membership_id = m.id AND a.unit_id IS NULL AND :permission! = ANY (r.permissions))
ORDER BY m.joined_at, m.id LIMIT :max!;
