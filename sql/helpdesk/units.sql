/* The units of the people of one ticket. The ticket is given by its id, or by the id of one of its images. */

/* Returns the units of the ticket's organization to which the reporter is linked. */
/* @name listUnitsOfReporter */
SELECT mu.unit_id AS "unit_id!"
FROM tickets t
JOIN unit_members mu ON mu.user_id = t.reporter_id AND mu.organization_id = t.organization_id
WHERE t.id = COALESCE(:ticketId::uuid, (SELECT a.ticket_id FROM ticket_attachments a WHERE a.id = :attachmentId::uuid));

/* Returns the units of the organization to which authors of the ticket's notes are or were linked. */
/* @name listUnitsOfNoteAuthors */
SELECT DISTINCT mu.unit_id
FROM tickets t
JOIN ticket_messages m ON m.ticket_id = t.id AND m.internal AND m.staff_scope = 'ORGANIZATION'
JOIN membership_units mu ON mu.user_id = m.author_id AND mu.organization_id = t.organization_id
WHERE t.id = COALESCE(:ticketId::uuid, (SELECT a.ticket_id FROM ticket_attachments a WHERE a.id = :attachmentId::uuid));
