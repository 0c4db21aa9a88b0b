import type { Service } from "../../support/service.ts";

const SUBJECTS = "The list stays empty|I cannot sign in|Χάθηκε το αρχείο|A bill is wrong|Export takes long";

/**
 * Inserts tickets of two years: three of ten by members of one organization, six by members of other organizations,
 * and one by people without an organization. Two of three have a response, every seventh has a note, and every
 * tenth an image.
 */
export async function seedTickets(t: Service, organizationId: string, tickets = 100_000): Promise<void> {
  await t.sql("ANALYZE memberships");
  await t.sql(
    `WITH people AS (
       SELECT user_id, organization_id, organization_id = $1 AS is_big,
         row_number() OVER (PARTITION BY organization_id = $1 ORDER BY id) - 1 AS number
       FROM memberships WHERE NOT is_deleted
     ), drawn AS (
       SELECT n, is_big, abs(hashint4(n)) % many AS number
       FROM generate_series(1, $2::int) n
       JOIN (SELECT is_big, count(*) AS many FROM people GROUP BY is_big) sizes ON is_big = (n % 10 < 3)
     )
     INSERT INTO tickets (subject, category, status, organization_id, reporter_id, created_at, last_activity_at)
     SELECT ($3::text[])[1 + n % cardinality($3::text[])] || ' ' || to_char(n::bigint * 7919 % 100000, 'FM00000'),
       (ARRAY['BUG', 'QUESTION', 'ACCOUNT', 'BILLING', 'FEATURE', 'OTHER'])[1 + n % 6],
       (ARRAY['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED', 'CLOSED', 'CLOSED'])[1 + n / 7 % 6],
       CASE WHEN n % 10 < 9 THEN p.organization_id END, p.user_id,
       now() - n * interval '10 minutes', now() - n * interval '10 minutes' + interval '1 day' * (n % 3)
     FROM drawn
     JOIN people p USING (is_big, number)`,
    [organizationId, tickets, SUBJECTS.split("|")],
  );
  await t.sql("ANALYZE tickets");
  await t.sql(
    `INSERT INTO ticket_messages (ticket_id, author_id, body, staff_scope, internal, created_at)
     SELECT t.id, t.reporter_id, 'Since this morning.', NULL, false, t.created_at FROM tickets t
     UNION ALL
     SELECT t.id, t.reporter_id, 'We look into it.', 'ORGANIZATION', t.number % 7 = 0, t.last_activity_at
     FROM tickets t WHERE t.number % 3 > 0`,
  );
  await t.sql("ANALYZE ticket_messages");
  await t.sql(
    `INSERT INTO ticket_attachments (ticket_id, message_id, user_id, storage_key, position, file_name, content_type,
       size, width, height, created_at)
     SELECT t.id, m.id, t.reporter_id, 'helpdesk/' || t.id || '/' || m.id, 1, 'screen.png', 'image/png', 300000, 800, 600,
       t.created_at
     FROM tickets t JOIN ticket_messages m ON m.ticket_id = t.id AND m.staff_scope IS NULL WHERE t.number % 10 = 0`,
  );
}
