/* Todos, the sample resource. All statements have the same conditions: organizations, reach and filters. `units`
   limits the todos to those of owners who are linked to one of these units, without todos from before an owner
   left and returned; null means no restriction. Todos of a deleted organization are excluded, so they need not be
   deleted with it. */

/* Marks the first pages that get their own queries with cached plans, in todos.pages.sql (docs/extend.md):
   @firstPages listTodosOfOrganization (organizationId) counted todos(organizationId)
   @firstPages listTodosOfOwner (organizationId, ownerId) counted todos(organizationId, ownerId)
   @firstPages listAllTodos () by createdAt desc

   The owner's email is read once if all todos have the same owner. */
/* @name listTodos */
SELECT t.id, t.title, t.completed, t.organization_id, o.name AS organization_name, t.user_id,
  COALESCE((SELECT email FROM users WHERE id = :ownerId), (SELECT email FROM users WHERE id = t.user_id)) AS "owner_email!",
  t.created_at, t.updated_at
FROM (
  SELECT t.id FROM todos t
  WHERE NOT t.is_deleted
    AND (:organizationId::uuid IS NULL OR t.organization_id = :organizationId
      AND EXISTS (SELECT FROM organizations o WHERE o.id = :organizationId AND NOT o.is_deleted))
    AND (:organizationId IS NOT NULL OR EXISTS (
      SELECT FROM organizations o WHERE o.id = t.organization_id AND NOT o.is_deleted))
    AND (:organizations::uuid[] IS NULL OR t.organization_id = ANY (:organizations))
    AND (:ownerId::uuid IS NULL OR t.user_id = :ownerId)
    AND (:owners::uuid[] IS NULL OR t.user_id = ANY (:owners))
    AND (:units::uuid[] IS NULL OR EXISTS (
      SELECT FROM unit_members mu
      WHERE mu.user_id = t.user_id AND mu.organization_id = t.organization_id AND mu.unit_id = ANY (:units)) AND NOT EXISTS (
      SELECT FROM memberships m
      WHERE m.user_id = t.user_id AND m.organization_id = t.organization_id AND m.reached_from > t.created_at))
    AND (:completed::boolean IS NULL OR t.completed = :completed)
    AND (:search::text IS NULL OR search_finds(t.search_title, :search))
  ORDER BY
    CASE WHEN :sort! = 'createdAt' AND :descending!::boolean THEN t.created_at END DESC,
    CASE WHEN :sort = 'createdAt' AND NOT :descending THEN t.created_at END,
    CASE WHEN :sort = 'title' AND :descending THEN t.search_title COLLATE natural_order END DESC,
    CASE WHEN :sort = 'title' AND NOT :descending THEN t.search_title COLLATE natural_order END,
    CASE WHEN :descending THEN t.id END DESC, CASE WHEN NOT :descending THEN t.id END
  LIMIT :limit! OFFSET :offset!
) page
JOIN todos t ON t.id = page.id
JOIN organizations o ON o.id = t.organization_id
ORDER BY
  CASE WHEN :sort = 'createdAt' AND :descending THEN t.created_at END DESC,
  CASE WHEN :sort = 'createdAt' AND NOT :descending THEN t.created_at END,
  CASE WHEN :sort = 'title' AND :descending THEN t.search_title COLLATE natural_order END DESC,
  CASE WHEN :sort = 'title' AND NOT :descending THEN t.search_title COLLATE natural_order END,
  CASE WHEN :descending THEN t.id END DESC, CASE WHEN NOT :descending THEN t.id END;

/* @name countTodos */
SELECT count(*)::int AS "total!"
FROM todos t
WHERE NOT t.is_deleted
  AND (:organizationId::uuid IS NULL OR t.organization_id = :organizationId
    AND EXISTS (SELECT FROM organizations o WHERE o.id = :organizationId AND NOT o.is_deleted))
  AND (:organizationId IS NOT NULL OR EXISTS (
    SELECT FROM organizations o WHERE o.id = t.organization_id AND NOT o.is_deleted))
  AND (:organizations::uuid[] IS NULL OR t.organization_id = ANY (:organizations))
  AND (:ownerId::uuid IS NULL OR t.user_id = :ownerId)
  AND (:owners::uuid[] IS NULL OR t.user_id = ANY (:owners))
  AND (:units::uuid[] IS NULL OR EXISTS (
    SELECT FROM unit_members mu
    WHERE mu.user_id = t.user_id AND mu.organization_id = t.organization_id AND mu.unit_id = ANY (:units)) AND NOT EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = t.user_id AND m.organization_id = t.organization_id AND m.reached_from > t.created_at))
  AND (:completed::boolean IS NULL OR t.completed = :completed)
  AND (:search::text IS NULL OR search_finds(t.search_title, :search));

/* Finds a todo that the caller may access: their own todo or, with `any`, a todo of any owner. Both are restricted
   to the given units. */
/* @name findTodo */
SELECT t.id, t.title, t.completed, t.organization_id, o.name AS organization_name, t.created_at, t.updated_at,
  t.user_id, (SELECT u.email FROM users u WHERE u.id = t.user_id) AS "owner_email!"
FROM todos t JOIN organizations o ON o.id = t.organization_id AND NOT o.is_deleted
WHERE t.id = :id! AND NOT t.is_deleted
  AND (:organizationId::uuid IS NULL OR t.organization_id = :organizationId)
  AND (:organizations::uuid[] IS NULL OR t.organization_id = ANY (:organizations))
  AND (:owners::uuid[] IS NULL OR t.user_id = ANY (:owners))
  AND (
    t.user_id = :userId! AND (:ownUnits::uuid[] IS NULL OR EXISTS (
      SELECT FROM unit_members mu
      WHERE mu.user_id = t.user_id AND mu.organization_id = t.organization_id AND mu.unit_id = ANY (:ownUnits)) AND NOT EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = t.user_id AND m.organization_id = t.organization_id AND m.reached_from > t.created_at))
    OR :any!::boolean AND (:anyUnits::uuid[] IS NULL OR EXISTS (
      SELECT FROM unit_members mu
      WHERE mu.user_id = t.user_id AND mu.organization_id = t.organization_id AND mu.unit_id = ANY (:anyUnits)) AND NOT EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = t.user_id AND m.organization_id = t.organization_id AND m.reached_from > t.created_at)));

/* Returns the units to which the owner of a todo is linked. */
/* @name listUnitsOfOwner */
SELECT mu.unit_id AS "unit_id!"
FROM todos t
JOIN unit_members mu ON mu.user_id = t.user_id AND mu.organization_id = t.organization_id
WHERE t.id = :id!;

/* Inserts a todo. Returns no row if the organization has been deleted since the caller's token was signed. The
   shared lock serializes inserts with a concurrent deletion, but not with each other. */
/* @name insertTodo */
INSERT INTO todos (organization_id, user_id, title)
SELECT o.id, :userId!, :title! FROM organizations o WHERE o.id = :organizationId! AND NOT o.is_deleted
FOR SHARE OF o
RETURNING id;

/* Changes a todo; a null parameter keeps the current value. Returns the old values, read under the row's lock. OLD
   would not do: after a concurrent change it has the values from before both changes. */
/* @name updateTodo */
WITH locked AS (
  SELECT id, title, completed FROM todos WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted FOR UPDATE
)
UPDATE todos t SET title = COALESCE(:title, t.title), completed = COALESCE(:completed, t.completed), updated_at = now()
FROM locked WHERE t.id = locked.id
RETURNING locked.title, locked.completed;

/* @name deleteTodo */
WITH locked AS (
  SELECT id, title, completed, updated_at FROM todos
  WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted FOR UPDATE
)
UPDATE todos t SET is_deleted = true, deleted_at = now(), updated_at = now()
FROM locked WHERE t.id = locked.id
RETURNING locked.title, locked.completed, locked.updated_at;

/* @name countTodosOfOrganization */
SELECT COALESCE(sum(rows), 0)::int AS "count!" FROM counted_rows
WHERE list = 'todos' AND owner = :organizationId! AND part IS NULL;

/* Returns the maintained totals of `listTodos`, for filters by only an organization, or by an organization and an
   owner. */
/* @name countAllTodos */
SELECT COALESCE(sum(rows), 0)::int AS "total!" FROM counted_rows
WHERE list = 'todos' AND owner = :organizationId! AND part IS NULL
  AND EXISTS (SELECT FROM organizations o WHERE o.id = :organizationId AND NOT o.is_deleted);

/* @name countAllTodosOfOwner */
SELECT COALESCE(sum(rows), 0)::int AS "total!" FROM counted_rows
WHERE list = 'todos' AND owner = :organizationId! AND part = :userId!
  AND EXISTS (SELECT FROM organizations o WHERE o.id = :organizationId AND NOT o.is_deleted);

/* Returns the user's todos, for the export of the account's data. Todos belong to their organization, so those in organizations that the user has left
   are excluded. Platform administrators have todos without a membership. */
/* @name exportTodos */
SELECT t.id, t.title, t.completed, t.organization_id, o.name AS organization_name, t.created_at, t.updated_at
FROM todos t
JOIN organizations o ON o.id = t.organization_id AND NOT o.is_deleted
WHERE t.user_id = :userId! AND NOT t.is_deleted
  AND (t.organization_id, t.created_at, t.id) > (:afterOrganizationId!::uuid, :afterTime!::timestamptz, :afterId!::uuid)
  AND (:isPlatformAdmin!::boolean OR EXISTS (
    SELECT FROM memberships m WHERE m.organization_id = t.organization_id AND m.user_id = t.user_id AND NOT m.is_deleted))
ORDER BY t.organization_id, t.created_at, t.id
LIMIT :limit!;

/* Returns how much the number of todos changed per day. Live and deleted todos are found by separate indexes. */
/* @name listTodoChanges */
SELECT to_char(time AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", sum(change)::int AS "change!"
FROM (
  SELECT t.created_at AS time, 1 AS change FROM todos t
  WHERE t.organization_id = :organizationId! AND NOT t.is_deleted AND t.created_at >= :from!::timestamptz
  UNION ALL
  SELECT turn.time, turn.change
  FROM todos t CROSS JOIN LATERAL (VALUES (t.created_at, 1), (t.deleted_at, -1)) turn (time, change)
  WHERE t.organization_id = :organizationId AND t.is_deleted AND t.deleted_at >= :from
) changes
WHERE time >= :from AND time <= now()
GROUP BY 1;

/* Two counts per day for the organization's overview, with the conditions of the list. */
/* @name countCreatedTodos */
SELECT to_char(t.created_at AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM todos t
WHERE t.organization_id = :organizationId! AND NOT t.is_deleted AND t.created_at >= :from!::timestamptz
  AND (:units::uuid[] IS NULL OR EXISTS (
    SELECT FROM unit_members mu
    WHERE mu.user_id = t.user_id AND mu.organization_id = t.organization_id AND mu.unit_id = ANY (:units)) AND NOT EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = t.user_id AND m.organization_id = t.organization_id AND m.reached_from > t.created_at))
GROUP BY 1;

/* @name countCompletedTodos */
SELECT to_char(t.completed_at AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM todos t
WHERE t.organization_id = :organizationId! AND t.completed AND NOT t.is_deleted AND t.completed_at >= :from!::timestamptz
  AND (:units::uuid[] IS NULL OR EXISTS (
    SELECT FROM unit_members mu
    WHERE mu.user_id = t.user_id AND mu.organization_id = t.organization_id AND mu.unit_id = ANY (:units)) AND NOT EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = t.user_id AND m.organization_id = t.organization_id AND m.reached_from > t.created_at))
GROUP BY 1;
