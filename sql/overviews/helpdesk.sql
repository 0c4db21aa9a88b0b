/* Figures of an organization's tickets, with the same conditions as the list in sql/helpdesk/tickets.sql. `from` is
   the beginning of the period. */

/* Counts the tickets that were opened in the period, by day and hour. The row without a day contains the total, and
   the median of the seconds until the first reply of staff. */
/* @name summarizeOpened */
SELECT to_char(opened.at, 'YYYY-MM-DD') AS "day?", extract(hour FROM opened.at)::int AS "hour?", count(*)::int AS "count!",
  percentile_cont(0.5) WITHIN GROUP (ORDER BY opened.reply_seconds) AS "median_reply_seconds?"
FROM (
  SELECT date_trunc('hour', t.created_at AT TIME ZONE :timeZone!) AS at, (
    SELECT extract(epoch FROM min(m.created_at) - t.created_at)::float8 FROM ticket_messages m
    WHERE m.ticket_id = t.id AND m.as_staff AND NOT m.internal) AS reply_seconds
  FROM tickets t
  WHERE t.organization_id = :organizationId! AND NOT t.is_deleted AND t.created_at >= :from!::timestamptz
    AND (:units::uuid[] IS NULL OR @reported(t, :units))
) opened
GROUP BY GROUPING SETS ((opened.at), ());

/* Counts the tickets that were resolved or closed, by day. */
/* @name countResolved */
SELECT to_char(e.created_at AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM ticket_events e JOIN tickets t ON t.id = e.ticket_id
WHERE e.created_at >= :from!::timestamptz
  AND e.from_status IN ('OPEN', 'IN_PROGRESS') AND e.to_status IN ('RESOLVED', 'CLOSED')
  AND t.organization_id = :organizationId! AND NOT t.is_deleted
  AND (:units::uuid[] IS NULL OR @reported(t, :units))
GROUP BY 1;

/* @name countByStatusAndCategory */
SELECT t.status, t.category, count(*)::int AS "count!"
FROM tickets t
WHERE t.organization_id = :organizationId! AND NOT t.is_deleted
  AND (:units::uuid[] IS NULL OR @reported(t, :units))
GROUP BY t.status, t.category;

/* Counts the open tickets that have waited for a reply of staff for more than a day. The newest message, not
   counting notes, was written by the reporter. */
/* @name countWaiting */
SELECT count(*)::int AS "total!"
FROM tickets t CROSS JOIN LATERAL (
  SELECT m.as_staff, m.created_at FROM ticket_messages m
  WHERE m.ticket_id = t.id AND NOT m.internal ORDER BY m.created_at DESC, m.id DESC LIMIT 1
) newest
WHERE t.organization_id = :organizationId! AND NOT t.is_deleted AND t.status IN ('OPEN', 'IN_PROGRESS')
  AND NOT newest.as_staff AND newest.created_at < now() - interval '24 hours'
  AND (:units::uuid[] IS NULL OR @reported(t, :units));
