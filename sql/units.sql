/* Returns the whole unit tree, siblings sorted by name. `is_kept` marks the units that are in the caller's reach and
   match the search. The service needs the other units too, to compute the order and the depth of each unit: in SQL,
   this takes time quadratic in the depth of the tree. */
/* @name listTree */
SELECT id, parent_id, name, created_at, is_kept AS "is_kept!",
  CASE WHEN is_kept THEN (
    SELECT count(*)::int FROM unit_members mu WHERE mu.unit_id = tree.id) END AS "member_count?"
FROM (
  SELECT u.id, u.parent_id, u.name, u.search_name, u.created_at,
    (:units::uuid[] IS NULL OR u.id = ANY (:units))
    AND (:search::text IS NULL OR u.search_name LIKE search_pattern(:search)) AS is_kept
  FROM units u WHERE u.organization_id = :organizationId! AND NOT u.is_deleted
) tree
ORDER BY search_name COLLATE natural_order, id;

/* @name findShownUnit */
SELECT u.id, u.parent_id, u.name, u.created_at,
  (SELECT count(*)::int - 1 FROM unit_ancestors(ARRAY[u.id])) AS "depth!",
  (SELECT count(*)::int FROM unit_members mu WHERE mu.unit_id = u.id) AS "member_count!"
FROM units u
WHERE u.id = :id! AND u.organization_id = :organizationId! AND NOT u.is_deleted;

/* @name findUnit */
SELECT id, parent_id, name FROM units
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted;

/* Lists all units of the organization, the oldest first. */
/* @name listUnitsByAge */
SELECT id, parent_id, name FROM units WHERE organization_id = :organizationId! AND NOT is_deleted ORDER BY created_at, id;

/* @name newUnitIds */
SELECT uuidv7() AS "id!" FROM generate_series(1, :count!::int);

/* Inserts units. `given` is a JSON array of objects with these columns. */
/* @name insertUnits */
INSERT INTO units (id, organization_id, parent_id, name)
SELECT id, :organizationId!::uuid, "parentId", name
FROM jsonb_to_recordset(:given!::jsonb -> 'units') AS unit (id uuid, "parentId" uuid, name text)
RETURNING id, created_at;

/* @name updateUnit */
UPDATE units SET name = :name!, parent_id = :parentId, updated_at = now()
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted;

/* @name isUnitInUse */
SELECT EXISTS (SELECT FROM units WHERE parent_id = :id! AND organization_id = :organizationId! AND NOT is_deleted)
  OR EXISTS (SELECT FROM membership_units WHERE unit_id = :id AND organization_id = :organizationId AND NOT is_deleted)
  OR EXISTS (SELECT FROM membership_assignments WHERE unit_id = :id AND organization_id = :organizationId)
  OR EXISTS (SELECT FROM service_account_assignments WHERE unit_id = :id AND organization_id = :organizationId) AS "is_in_use!";

/* @name deleteUnit */
UPDATE units SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted;

/* @name deleteUnitsOfOrganization */
UPDATE units SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE organization_id = :organizationId! AND NOT is_deleted;

/* Returns a row if `topId` is `unitId` or one of its ancestors. */
/* @name isUnitBelow */
SELECT unit_id FROM unit_ancestors(ARRAY[:unitId!::uuid]) WHERE ancestor_id = :topId!;

/* Returns the level of a unit in the tree: 1 for a root. */
/* @name countLevelsAbove */
SELECT count(*)::int AS "levels!" FROM unit_ancestors(ARRAY[:id!::uuid]);

/* Returns the number of levels of a unit's subtree: 1 without sub-units. */
/* @name countLevelsBelow */
WITH RECURSIVE tree AS (
  SELECT :id!::uuid AS id, 1 AS level
  UNION ALL
  SELECT child.id, tree.level + 1 FROM units child JOIN tree ON child.parent_id = tree.id WHERE NOT child.is_deleted
)
SELECT max(level) AS "levels!" FROM tree;

/* @name countUnits */
SELECT count(*)::int AS "count!" FROM units WHERE organization_id = :organizationId! AND NOT is_deleted;

/* Returns these units and all units that are or were below them. */
/* @name listUnitsIncludingDeleted */
SELECT unit_id AS "unit_id!" FROM unit_subtree_ever(:roots!::uuid[]);

/* Returns how much the number of units changed per day. */
/* @name listUnitChanges */
SELECT * FROM @changes_per_day(units);
