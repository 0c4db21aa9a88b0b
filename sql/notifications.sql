/* Returns the types of a user's notifications that match a search. A loose index scan reads each type once, not
   each row. */
/* @name listNotificationTypes */
WITH RECURSIVE types AS (
  (SELECT type FROM notifications WHERE user_id = :userId! AND NOT is_deleted ORDER BY type LIMIT 1)
  UNION ALL
  SELECT (SELECT n.type FROM notifications n
    WHERE n.user_id = :userId AND NOT n.is_deleted AND n.type > types.type ORDER BY n.type LIMIT 1)
  FROM types WHERE types.type IS NOT NULL
)
SELECT type AS "type!" FROM types WHERE type IS NOT NULL AND search_fold(type) LIKE search_pattern(:search!);

/* @list notifications from notifications n by id */
/* @columns */ n.id, n.type, n.data, n.read_at, n.created_at, n.is_product
/* @where */ n.user_id = :userId! AND NOT n.is_deleted
/* @if onlyUnread */ n.read_at IS NULL AND :onlyUnread::boolean
/* @if types */ n.type = ANY (:types)
/* @sort createdAt */ n.created_at
/* @total notifications(userId) */
/* @total unread_notifications(userId) if onlyUnread */
/* @first by createdAt desc */;

/* Those about one organization, for confined sessions. A list of its own, because the condition would change the plans of the list
   above. */
/* @list notificationsIn from notifications n by id */
/* @columns */ n.id, n.type, n.data, n.read_at, n.created_at, n.is_product
/* @where */ n.user_id = :userId! AND NOT n.is_deleted AND n.data ->> 'organizationId' = :organizationId!
/* @if onlyUnread */ n.read_at IS NULL AND :onlyUnread::boolean
/* @if types */ n.type = ANY (:types)
/* @sort createdAt */ n.created_at;

/* @name countUnreadNotifications */
SELECT COALESCE(sum(rows), 0)::int AS "count!" FROM counted_rows
WHERE list = 'unread_notifications' AND owner = :userId! AND part IS NULL;

/* Counts the unread notifications of a user about one organization, and returns those of these ids that are about it. */
/* @name countUnreadIn */
SELECT count(*) FILTER (WHERE n.read_at IS NULL)::int AS "count!",
  COALESCE(array_agg(n.id) FILTER (WHERE n.id = ANY (:ids!::uuid[])), '{}') AS "ids!"
FROM notifications n
WHERE n.user_id = :userId! AND NOT n.is_deleted AND n.data ->> 'organizationId' = :organizationId!;

/* Counts the unread notifications of these users. Users who never had a notification have no row. */
/* @name countUnreadOfUsers */
SELECT owner AS "user_id!", sum(rows)::int AS "count!" FROM counted_rows
WHERE list = 'unread_notifications' AND owner = ANY (:userIds!::uuid[]) AND part IS NULL
GROUP BY owner;

/* The statements below also call NOTIFY, so that open streams send the new unread count. With :organizationId they change
   only notifications about that organization. */

/* Marks a notification as read. A notification that was read before keeps its first `read_at`. */
/* @name markNotificationRead */
WITH changed AS (
  UPDATE notifications SET read_at = COALESCE(read_at, now())
  WHERE id = :id! AND user_id = :userId!::uuid AND NOT is_deleted
    AND (:organizationId::text IS NULL OR data ->> 'organizationId' = :organizationId::text)
  RETURNING id
)
SELECT id, pg_notify('notifications', :userId::text) IS NULL AS "announced" FROM changed;

/* @name markAllNotificationsRead */
WITH changed AS (
  UPDATE notifications SET read_at = now()
  WHERE user_id = :userId!::uuid AND read_at IS NULL AND NOT is_deleted
    AND (:organizationId::text IS NULL OR data ->> 'organizationId' = :organizationId::text)
)
SELECT pg_notify('notifications', :userId::text) IS NULL AS "announced";

/* @name deleteNotification */
WITH changed AS (
  UPDATE notifications SET is_deleted = true, deleted_at = now()
  WHERE id = :id! AND user_id = :userId!::uuid AND NOT is_deleted
    AND (:organizationId::text IS NULL OR data ->> 'organizationId' = :organizationId::text)
  RETURNING id
)
SELECT id, pg_notify('notifications', :userId::text) IS NULL AS "announced" FROM changed;

/* Deletes old notifications in batches, including dismissed and unread ones. */
/* @name deleteOldNotifications */
DELETE FROM notifications
WHERE id = ANY(ARRAY(SELECT id FROM notifications WHERE created_at < now() - make_interval(days => :days!) LIMIT :max!))
RETURNING 1 AS deleted;

/* Returns the user's notifications, without dismissed ones, which count as deleted. */
/* @name exportNotifications */
SELECT id, type, data, read_at, created_at
FROM notifications
WHERE user_id = :userId! AND NOT is_deleted AND (created_at, id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY created_at, id
LIMIT :limit!;
