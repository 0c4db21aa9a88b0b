/* What somebody may do in an organization, and which units that covers. Only src/access and the guard of
   routes run these. */

/* The organization that a session acts in, with the grants there (rules 6.1): the preferred one where
   the membership lives and the organization is active, else the oldest such membership. A row for each grant,
   one without a role for a membership that has none, and no row where there is no organization. */
/* @name listActiveOrganizationGrants */
SELECT organization_id AS "organization_id?", organization_name AS "organization_name?",
  organization_slug AS "organization_slug?", role_name AS "role_name?", permissions AS "permissions?", unit_id AS "unit_id?"
FROM active_organization_grants(:userId!, :preferredId::uuid)
ORDER BY role_name, assignment_id;

/* No row where there is no live membership, and so no grant, in a live organization. */
/* @name listGrants */
SELECT r.permissions, a.unit_id
FROM memberships m
JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
JOIN membership_assignments a ON a.membership_id = m.id
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = a.unit_id
WHERE m.organization_id = :organizationId! AND m.user_id = :userId! AND NOT m.is_deleted
  AND u.is_deleted IS NOT TRUE;

/* The limit ends the walk: whether there are too many units for a token shows without visiting them all. */
/* @name listCoveredUnits */
SELECT unit_id AS "unit_id!", parent_id FROM unit_subtree(:roots!::uuid[]) LIMIT :max::int;

/* What was below these units when it was deleted. OFFSET has them looked up one by one: joined, all units there are would be
   read. */
/* @name listDeletedUnits */
SELECT unit_id AS "unit_id!" FROM unit_subtree_ever(:roots!::uuid[]) tree
WHERE EXISTS (SELECT FROM units u WHERE u.id = tree.unit_id AND u.is_deleted OFFSET 0);

/* These units and all above them, each once however many are below it. */
/* @name listAncestors */
WITH RECURSIVE above AS (
  SELECT id, parent_id FROM units WHERE id = ANY (:units!::uuid[])
  UNION
  SELECT parent.id, parent.parent_id FROM units parent JOIN above ON parent.id = above.parent_id
)
SELECT id AS "unit_id!", parent_id FROM above;

/* @name findLiveOrganization */
SELECT id, name, status FROM organizations WHERE id = :id! AND NOT is_deleted;

/* @name findPlatformAdmin */
SELECT id FROM users WHERE id = :id! AND is_platform_admin AND NOT is_deleted;
