/* The units of the people of one ticket, which is given by its id or by the id of one of its images. */

/* The units that the reporter is linked to in the ticket's organization. */
/* @name listUnitsOfReporter */
SELECT mu.unit_id
FROM tickets t
JOIN membership_units mu
  ON mu.user_id = t.reporter_id AND mu.organization_id = t.organization_id AND NOT mu.is_deleted
WHERE t.id = COALESCE(:ticketId::uuid, (SELECT a.ticket_id FROM ticket_attachments a WHERE a.id = :attachmentId::uuid));

/* The units that the authors of the organization's notes are or were linked to there. */
/* @name listUnitsOfNoteAuthors */
SELECT DISTINCT mu.unit_id
FROM tickets t
JOIN ticket_messages m ON m.ticket_id = t.id AND m.internal AND m.staff_scope = 'ORGANIZATION'
JOIN membership_units mu ON mu.user_id = m.author_id AND mu.organization_id = t.organization_id
WHERE t.id = COALESCE(:ticketId::uuid, (SELECT a.ticket_id FROM ticket_attachments a WHERE a.id = :attachmentId::uuid));
