/* Queries for the export of one user's stored data, which only that user gets (rules 9.6). No query returns
   secrets, digests of secrets, or data of other people that the user may not read. Lists are read in pages by
   keyset pagination, oldest first. */

/* @name listMemberships */
SELECT m.id, m.joined_at, o.id AS organization_id, o.name AS organization_name, o.slug AS organization_slug
FROM memberships m
JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
WHERE m.user_id = :userId! AND NOT m.is_deleted AND (m.joined_at, m.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY m.joined_at, m.id
LIMIT :limit!;

/* @name listRoles */
SELECT a.membership_id, r.id AS role_id, r.name AS role_name, u.id AS "unit_id?", u.name AS "unit_name?"
FROM membership_assignments a
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = a.unit_id
WHERE a.membership_id = ANY (:memberships!::uuid[]) AND u.is_deleted IS NOT TRUE
ORDER BY r.name COLLATE natural_order, a.id;

/* @name listUnits */
SELECT mu.membership_id AS "membership_id!", u.id, u.name
FROM unit_members mu
JOIN units u ON u.id = mu.unit_id AND NOT u.is_deleted
WHERE mu.membership_id = ANY (:memberships!::uuid[])
ORDER BY u.name COLLATE natural_order, u.id;

/* Returns the user's notifications, without dismissed ones, which count as deleted. */
/* @name listNotifications */
SELECT id, type, data, read_at, created_at
FROM notifications
WHERE user_id = :userId! AND NOT is_deleted AND (created_at, id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY created_at, id
LIMIT :limit!;

/* Returns the events whose actor is the user. Metadata may contain data of other people and of organizations. So it
   is returned only for events about the user that carry no organization. */
/* @name listEvents */
SELECT id, action, target_type, target_id, organization_id, ip, request_id, time,
  CASE WHEN organization_id IS NULL AND target_id = :userId! THEN metadata END AS "metadata?"
FROM audit_events
WHERE actor_id = :userId AND (time, id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY time, id
LIMIT :limit!;

/* @name listTickets */
SELECT t.id, t.number, t.subject, t.category, t.status, t.organization_id, o.name AS "organization_name?", t.page_path,
  t.browser, t.app_version, t.created_at, t.last_activity_at
FROM tickets t
LEFT JOIN organizations o ON o.id = t.organization_id
WHERE t.reporter_id = :userId! AND NOT t.is_deleted AND (t.created_at, t.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY t.created_at, t.id
LIMIT :limit!;

/* Returns the messages of the user's tickets, without internal notes. */
/* @name listMessages */
SELECT m.id, m.ticket_id, m.body, m.staff_scope IS NOT NULL AS "as_staff!", m.created_at
FROM tickets t
JOIN ticket_messages m ON m.ticket_id = t.id AND NOT m.internal
WHERE t.reporter_id = :userId! AND NOT t.is_deleted
  AND (m.ticket_id, m.created_at, m.id) > (:afterTicketId!::uuid, :afterTime!::timestamptz, :afterId!::uuid)
ORDER BY m.ticket_id, m.created_at, m.id
LIMIT :limit!;

/* @name listAttachments */
SELECT id, message_id AS "message_id!", file_name, content_type, size, width, height
FROM ticket_attachments
WHERE message_id = ANY (:messages!::uuid[]) AND NOT is_deleted
ORDER BY message_id, position;

/* Returns the open invitations to the user's email. The condition with search_fold lets the trigram index find
   them. */
/* @name listInvitations */
SELECT i.id, i.organization_id, o.name AS organization_name, i.language, i.created_at AS "created_at!",
  i.last_sent_at AS "last_sent_at!", i.expires_at AS "expires_at!"
FROM user_invitations i
JOIN organizations o ON o.id = i.organization_id AND NOT o.is_deleted
WHERE i.accepted_at IS NULL AND NOT i.is_deleted AND i.email = :email!
  AND search_fold(i.email) LIKE search_pattern(:email)
  AND (i.created_at, i.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY i.created_at, i.id
LIMIT :limit!;
