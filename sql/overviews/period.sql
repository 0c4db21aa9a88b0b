/* Returns the last :days days in a time zone, oldest first, and the moment when each day begins. The last day is
   today. */
/* @name listDays */
SELECT to_char(day, 'YYYY-MM-DD') AS "day!", (day AT TIME ZONE :timeZone!)::timestamptz(3) AS "starts_at!"
FROM generate_series(date_trunc('day', now() AT TIME ZONE :timeZone) - make_interval(days => :days!::int - 1),
  date_trunc('day', now() AT TIME ZONE :timeZone), interval '1 day') AS day
ORDER BY day;
