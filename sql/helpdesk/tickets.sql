/* Tickets as reporters, the staff of an organization and platform administrators see them. Every statement has the
   same parameters that restrict the visible tickets: reporter, organizations and units. `units` limits the tickets
   to those of reporters who are linked to one of these units; null means no restriction. `noteUnits` limits the
   counted notes of the organization to the viewer's own notes and those of authors who are or were linked to one of
   these units. */

/* @list tickets from tickets t by id */
/* @columns */ t.id, t.number, t.subject, t.category, t.status, t.organization_id,
  (SELECT o.name FROM organizations o WHERE o.id = t.organization_id) AS "organization_name?",
  r.id AS "reporter_id?", r.email AS "reporter_email?", r.first_name AS "reporter_first_name?",
  r.last_name AS "reporter_last_name?", t.page_path, t.browser, t.app_version, t.created_at, t.last_activity_at,
  (SELECT count(*)::int FROM ticket_messages m WHERE m.ticket_id = t.id AND @readable(m)) AS "message_count!"
/* @join */ LEFT JOIN users r ON r.id = t.reporter_id AND NOT r.is_deleted
/* @where */ NOT t.is_deleted
/* @if reporterId */ t.reporter_id = :reporterId
/* @if organizationId */ t.organization_id = :organizationId
/* @if organizations */ t.organization_id = ANY (:organizations)
/* @if units */ @reported(t, :units)
/* @if member */ t.reporter_id = ANY (:member)
/* @if status */ t.status = ANY (:status)
/* @if category */ t.category = :category
/* @if search */ search_finds(t.search_subject, :search)
  OR t.number = :number::integer
  OR t.reporter_id = ANY (:found::uuid[])
  OR (:found IS NULL AND EXISTS (
    SELECT FROM users u WHERE u.id = t.reporter_id AND NOT u.is_deleted AND search_finds(u.email, :search)))
/* @sort lastActivityAt */ t.last_activity_at
/* @sort createdAt */ t.created_at
/* @sort number */ t.number
/* @total tickets() */
/* @total tickets(organizationId) */
/* @total reported_tickets(reporterId) */
/* @first organizationId by lastActivityAt desc */
/* @first reporterId by lastActivityAt desc */
/* @find findTicket if reporterId, organizationId, units */ t.id = :id!;

/* Locks the ticket's row. Every change and every reply takes this lock first, so that the second of two concurrent
   changes sees the result of the first. */
/* @name lockTicket */
SELECT t.id, t.number, t.subject, t.status, t.organization_id, t.reporter_id, t.created_at, r.email AS "reporter_email?",
  r.language AS "reporter_language?"
FROM tickets t LEFT JOIN users r ON r.id = t.reporter_id AND NOT r.is_deleted
WHERE t.id = :id! AND NOT t.is_deleted
  AND (:reporterId::uuid IS NULL OR t.reporter_id = :reporterId)
  AND (:organizationId::uuid IS NULL OR t.organization_id = :organizationId)
  AND (:units::uuid[] IS NULL OR @reported(t, :units))
FOR UPDATE OF t;

/* Inserts a ticket. It gets the organization only if the reporter is a live member there. Returns no row if the
   reporter's account is deleted. */
/* @name insertTicket */
INSERT INTO tickets (id, subject, category, organization_id, reporter_id, page_path, browser, app_version)
SELECT COALESCE(:id::uuid, uuidv7()), :subject!, :category!, (
    SELECT m.organization_id FROM memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE m.user_id = u.id AND m.organization_id = :organizationId AND NOT m.is_deleted AND NOT o.is_deleted
  ), u.id, :pagePath, :browser, :appVersion
FROM users u WHERE u.id = :reporterId! AND NOT u.is_deleted
RETURNING id, number, organization_id;

/* Sets the status of a ticket, and records the change in the ticket's history. */
/* @name setTicketStatus */
WITH changed AS (
  UPDATE tickets SET status = :status!, last_activity_at = now()
  WHERE id = :id! AND organization_id IS NOT DISTINCT FROM :organizationId::uuid AND NOT is_deleted
  RETURNING id, old.status AS from_status, new.status AS to_status
)
INSERT INTO ticket_events (ticket_id, from_status, to_status, actor_id, staff_scope)
SELECT id, from_status, to_status, :actorId::uuid, :staffScope FROM changed;

/* Lists the newest status changes of a ticket, oldest first. */
/* @name listTicketEvents */
SELECT e.id, e.from_status, e.to_status, e.staff_scope, e.created_at, a.id AS "actor_id?",
  a.first_name AS "actor_first_name?", a.last_name AS "actor_last_name?", o.name AS "organization_name?"
FROM (
  SELECT * FROM ticket_events WHERE ticket_id = :ticketId! ORDER BY created_at DESC, id DESC LIMIT :max!
) e
JOIN tickets t ON t.id = e.ticket_id
LEFT JOIN users a ON a.id = e.actor_id AND NOT a.is_deleted
LEFT JOIN organizations o ON o.id = t.organization_id AND e.staff_scope = 'ORGANIZATION'
ORDER BY e.created_at, e.id;

/* @name touchTicket */
UPDATE tickets SET last_activity_at = now()
WHERE id = :id! AND organization_id IS NOT DISTINCT FROM :organizationId::uuid AND NOT is_deleted;

/* @name deleteTicket */
UPDATE tickets SET is_deleted = true, deleted_at = now()
WHERE id = :id! AND organization_id IS NOT DISTINCT FROM :organizationId::uuid AND NOT is_deleted;

/* Records a mail about a ticket. Returns no row if there were :points in the last :seconds. Call under the ticket's
   row lock. */
/* @name insertTicketMail */
INSERT INTO ticket_mails (ticket_id)
SELECT :ticketId!::uuid
WHERE (SELECT count(*) FROM ticket_mails
  WHERE ticket_id = :ticketId AND sent_at > now() - make_interval(secs => :seconds!)) < :points!::int
RETURNING id;

/* @name deleteOldTicketMails */
DELETE FROM ticket_mails WHERE id IN (
  SELECT id FROM ticket_mails WHERE sent_at < now() - interval '1 day' LIMIT :max!)
RETURNING id;

/* @name exportTickets */
SELECT t.id, t.number, t.subject, t.category, t.status, t.organization_id, o.name AS "organization_name?", t.page_path,
  t.browser, t.app_version, t.created_at, t.last_activity_at
FROM tickets t
LEFT JOIN organizations o ON o.id = t.organization_id
WHERE t.reporter_id = :userId! AND NOT t.is_deleted AND (t.created_at, t.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY t.created_at, t.id
LIMIT :limit!;
