/* Todos, the sample resource; docs/extend.md explains the marks of a list. `organizations`, `owners` and `units` limit
   the todos to these organizations, these owners, and owners who are linked to one of these units; null means no
   restriction. Todos of a deleted organization are excluded, so they need not be deleted with it. The owner's email is
   read once if all todos have the same owner. */

/* @list todos from todos t by id */
/* @columns */ t.id, t.title, t.completed, t.organization_id, o.name AS organization_name, t.created_at, t.updated_at,
  t.user_id, COALESCE((SELECT email FROM users WHERE id = :ownerId), (SELECT email FROM users WHERE id = t.user_id)) AS "owner_email!"
/* @join */ JOIN organizations o ON o.id = t.organization_id
/* @where */ NOT t.is_deleted
/* @if organizationId */ t.organization_id = :organizationId AND @live(:organizationId)
/* @if not organizationId */ @live(t.organization_id)
/* @if organizations */ t.organization_id = ANY (:organizations)
/* @if ownerId */ t.user_id = :ownerId
/* @if owners */ t.user_id = ANY (:owners)
/* @if units */ @owned(t, :units)
/* @if completed */ t.completed = :completed
/* @if search */ search_finds(t.search_title, :search)
/* @sort createdAt */ t.created_at
/* @sort title */ t.search_title COLLATE natural_order
/* @total todos(organizationId) */ @live(:organizationId)
/* @total todos(organizationId, ownerId) */ @live(:organizationId)
/* @first organizationId by createdAt desc */
/* @first organizationId, ownerId by createdAt desc */
/* Finds a todo of the caller in `ownUnits`, or of anybody in `anyUnits`. */
/* @find findTodo if organizations, owners */ t.id = :id!
  AND (t.user_id = :userId! AND (:ownUnits::uuid[] IS NULL OR @owned(t, :ownUnits))
    OR :anyUnits::uuid[] IS NULL OR @owned(t, :anyUnits));

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
RETURNING id, title, completed, organization_id, (SELECT name FROM organizations WHERE id = todos.organization_id) AS "organization_name!",
  created_at, updated_at, user_id, (SELECT email FROM users WHERE id = todos.user_id) AS "owner_email!";

/* Changes a todo; a null parameter keeps the current value. Returns the previous values, read under the row's lock. OLD
   would not do: after a concurrent change it has the values from before both changes. */
/* @name updateTodo */
WITH locked AS (
  SELECT id, title, completed FROM todos WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted FOR UPDATE
)
UPDATE todos t SET title = COALESCE(:title, t.title), completed = COALESCE(:completed, t.completed), updated_at = now()
FROM locked WHERE t.id = locked.id
RETURNING t.title, t.completed, t.updated_at, locked.title AS previous_title, locked.completed AS previous_completed;

/* Deletes a todo, and returns its last values: those of the version that this statement locked. */
/* @name deleteTodo */
UPDATE todos SET is_deleted = true, deleted_at = now()
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted
RETURNING title, completed, updated_at;

/* @name countTodosOfOrganization */
SELECT COALESCE(sum(rows), 0)::int AS "count!" FROM counted_rows
WHERE list = 'todos' AND owner = :organizationId! AND part IS NULL;

/* Returns todos of a user, for the export of the account's data. */
/* @name exportTodos */
SELECT t.id, t.title, t.completed, t.organization_id, o.name AS organization_name, t.created_at, t.updated_at
FROM todos t
JOIN organizations o ON o.id = t.organization_id AND NOT o.is_deleted
WHERE NOT t.is_deleted AND @exported(t)
ORDER BY t.organization_id, t.created_at, t.id
LIMIT :limit!;

/* Live and deleted todos are found by separate indexes. */
/* @name listTodoChanges */
SELECT * FROM @changes_per_day(todos);

/* Two counts per day for the organization's overview, with the conditions of the list. */
/* @name countCreatedTodos */
SELECT to_char(t.created_at AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM todos t
WHERE t.organization_id = :organizationId! AND NOT t.is_deleted AND t.created_at >= :from!::timestamptz
  AND (:units::uuid[] IS NULL OR @owned(t, :units))
GROUP BY 1;

/* @name countCompletedTodos */
SELECT to_char(t.completed_at AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM todos t
WHERE t.organization_id = :organizationId! AND t.completed AND NOT t.is_deleted AND t.completed_at >= :from!::timestamptz
  AND (:units::uuid[] IS NULL OR @owned(t, :units))
GROUP BY 1;
