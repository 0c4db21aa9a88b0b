/* Inserts a message. Returns no row if the ticket already has the maximum number of messages. Call under the
   ticket's row lock. */
/* @name insertMessage */
INSERT INTO ticket_messages (ticket_id, author_id, body, staff_scope, internal, client_name)
SELECT :ticketId!::uuid, :authorId!::uuid, :body!, :staffScope, :internal!::boolean, :clientName
WHERE (SELECT count(*) FROM ticket_messages WHERE ticket_id = :ticketId) < :max!::int
RETURNING id;

/* Lists the newest messages of a ticket that the viewer may read (see sql/helpdesk/tickets.sql), or the newest
   before a given message; oldest first. `total` counts all messages that the viewer may read. */
/* @name listMessages */
SELECT m.id, m.body, m.internal, m.as_staff AS "as_staff!", m.staff_scope, a.id AS "author_id?",
  a.first_name AS "author_first_name?", a.last_name AS "author_last_name?", o.name AS "organization_name?",
  m.client_name, m.created_at, page.total AS "total!"
FROM (
  SELECT m.id, count(*) OVER ()::int AS total
  FROM ticket_messages m
  WHERE m.ticket_id = :ticketId! AND (:messageId::uuid IS NULL OR m.id = :messageId)
    AND (:beforeId::uuid IS NULL OR (m.created_at, m.id) < (:beforeTime::timestamptz, :beforeId))
    AND @readable(m)
  ORDER BY m.created_at DESC, m.id DESC
  LIMIT :max!
) page
JOIN ticket_messages m ON m.id = page.id
JOIN tickets t ON t.id = m.ticket_id
LEFT JOIN users a ON a.id = m.author_id AND NOT a.is_deleted
LEFT JOIN organizations o ON o.id = t.organization_id AND m.staff_scope = 'ORGANIZATION'
ORDER BY m.created_at, m.id;

/* Returns the messages of the user's tickets, without internal notes. */
/* @name exportMessages */
SELECT m.id, m.ticket_id, m.body, m.staff_scope IS NOT NULL AS "as_staff!", m.client_name, m.created_at
FROM tickets t
JOIN ticket_messages m ON m.ticket_id = t.id AND NOT m.internal
WHERE t.reporter_id = :userId! AND NOT t.is_deleted
  AND (m.ticket_id, m.created_at, m.id) > (:afterTicketId!::uuid, :afterTime!::timestamptz, :afterId!::uuid)
ORDER BY m.ticket_id, m.created_at, m.id
LIMIT :limit!;
