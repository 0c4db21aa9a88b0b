/* Names that this version does not know remain: a newer version has added them. */
/* @name upsertBuiltInRole */
INSERT INTO roles (id, organization_id, name, description, permissions)
VALUES (:id!, NULL, :name!, :description!, :permissions!::text[])
ON CONFLICT (id) DO UPDATE
SET name = excluded.name, description = excluded.description, updated_at = now(),
  permissions = excluded.permissions || ARRAY(SELECT one FROM unnest(roles.permissions) AS one WHERE one <> ALL (:known!::text[]))
WHERE (roles.name, roles.description, ARRAY(SELECT one FROM unnest(roles.permissions) AS one WHERE one = ANY (:known)))
  IS DISTINCT FROM (excluded.name, excluded.description, excluded.permissions)
RETURNING name;

/* @list roles from roles r by id unpaged */
/* @columns */ r.id, r.organization_id, r.name, r.description, r.permissions, r.created_at
/* @where */ (r.organization_id = :organizationId! OR r.organization_id IS NULL) AND NOT r.is_deleted
/* @if search */ search_fold(r.name || E'\n' || r.description) LIKE search_pattern(:search)
/* @sort createdAt */ r.created_at
/* @sort name */ search_fold(r.name) COLLATE natural_order;

/* Returns those of the given roles that can be assigned in an organization: its custom roles and the built-in ones. */
/* @name listRolesByIds */
SELECT id, organization_id, name, description, permissions
FROM roles
WHERE id = ANY (:ids!::uuid[]) AND (organization_id = :organizationId! OR organization_id IS NULL) AND NOT is_deleted;

/* @name isRoleNameTaken */
SELECT EXISTS (
  SELECT FROM roles
  WHERE (organization_id = :organizationId! OR organization_id IS NULL) AND case_folded(name) = case_folded(:name!)
    AND id IS DISTINCT FROM :exceptId::uuid AND NOT is_deleted
) AS "is_taken!";

/* @name countRoles */
SELECT count(*)::int AS "count!" FROM roles WHERE organization_id = :organizationId! AND NOT is_deleted;

/* @name insertRole */
INSERT INTO roles (organization_id, name, description, permissions)
VALUES (:organizationId!, :name!, :description!, :permissions!::text[])
RETURNING id, organization_id, name, description, permissions;

/* Replaces the permissions that this version knows. Those that a newer version has added remain. */
/* @name updateRole */
UPDATE roles SET name = :name!, description = :description!, updated_at = now(),
  permissions = :permissions!::text[] || ARRAY(SELECT one FROM unnest(permissions) AS one WHERE one <> ALL (:known!::text[]))
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted
RETURNING id, organization_id, name, description, permissions;

/* Returns whether a role is in use. ORDER BY makes the planner use an index; otherwise a generic plan would read
   the whole table for a role without assignments. */
/* @name isRoleInUse */
SELECT (SELECT id FROM membership_assignments WHERE role_id = :id! AND organization_id = :organizationId! ORDER BY unit_id LIMIT 1) IS NOT NULL
  OR EXISTS (SELECT FROM service_account_assignments WHERE role_id = :id AND organization_id = :organizationId)
  OR EXISTS (SELECT FROM organizations WHERE id = :organizationId AND default_role_id = :id AND NOT is_deleted) AS "is_in_use!";

/* @name deleteRole */
UPDATE roles SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted;

/* @name deleteRolesOfOrganization */
UPDATE roles SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE organization_id = :organizationId! AND NOT is_deleted;

/* @name findDefaultRole */
SELECT default_role_id FROM organizations WHERE id = :organizationId! AND NOT is_deleted;
