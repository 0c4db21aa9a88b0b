/* The units in reach, each with its place in the tree: depth-first, siblings by name. The whole tree is walked, for
   the depth and the order of a unit come from those above it. Ranks stand for names, so that a path stays short. */
/* @name listUnits */
WITH RECURSIVE live AS (
  SELECT id, parent_id, name, created_at,
    row_number() OVER (ORDER BY search_fold(name) COLLATE "C", id)::int AS rank
  FROM units WHERE organization_id = :organizationId! AND NOT is_deleted
), tree AS (
  SELECT id, parent_id, name, created_at, 0 AS depth, ARRAY[rank] AS path FROM live WHERE parent_id IS NULL
  UNION ALL
  SELECT live.id, live.parent_id, live.name, live.created_at, tree.depth + 1, tree.path || live.rank
  FROM live JOIN tree ON live.parent_id = tree.id
)
SELECT tree.id AS "id!", tree.parent_id, tree.name AS "name!", tree.depth AS "depth!", tree.created_at AS "created_at!",
  (SELECT count(*)::int FROM membership_units mu WHERE mu.unit_id = tree.id AND NOT mu.is_deleted) AS "member_count!"
FROM tree
WHERE (:units::uuid[] IS NULL OR tree.id = ANY (:units))
  AND (:id::uuid IS NULL OR tree.id = :id)
  AND (:search::text IS NULL OR search_fold(tree.name) LIKE search_pattern(:search))
ORDER BY tree.path;

/* @name findUnit */
SELECT id, parent_id, name FROM units
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted;

/* @name listUnitsByIds */
SELECT id, name FROM units
WHERE id = ANY (:ids!::uuid[]) AND organization_id = :organizationId! AND NOT is_deleted;

/* What a filter by units stands for: those of the organizations, or of any for null, with their sub-units. A deleted
   or unknown one stands for nothing. */
/* @name listFilteredUnits */
SELECT u.id FROM unit_subtree(:roots!::uuid[]) covered JOIN units u ON u.id = covered.unit_id
WHERE :organizations::uuid[] IS NULL OR u.organization_id = ANY (:organizations);

/* @name insertUnit */
INSERT INTO units (organization_id, parent_id, name) VALUES (:organizationId!, :parentId, :name!) RETURNING id;

/* @name updateUnit */
UPDATE units SET name = :name!, parent_id = :parentId, updated_at = now() WHERE id = :id! AND NOT is_deleted;

/* @name isUnitInUse */
SELECT EXISTS (SELECT FROM units WHERE parent_id = :id! AND NOT is_deleted)
  OR EXISTS (SELECT FROM membership_units WHERE unit_id = :id AND NOT is_deleted)
  OR EXISTS (SELECT FROM membership_assignments WHERE unit_id = :id) AS "is_in_use!";

/* @name deleteUnit */
UPDATE units SET is_deleted = true, deleted_at = now(), updated_at = now() WHERE id = :id! AND NOT is_deleted;

/* @name deleteUnitsOfOrganization */
UPDATE units SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE organization_id = :organizationId! AND NOT is_deleted;

/* A row where the one is the other, or above it. */
/* @name isUnitBelow */
SELECT unit_id FROM unit_ancestors(ARRAY[:unitId!::uuid]) WHERE ancestor_id = :topId!;

/* @name countUnits */
SELECT count(*)::int AS "count!" FROM units WHERE organization_id = :organizationId! AND NOT is_deleted;
