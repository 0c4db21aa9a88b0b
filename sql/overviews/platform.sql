/* Figures over all organizations, for platform administrators. */

/* @name countCreatedByDay */
SELECT 'organizations' AS "name!", to_char(o.created_at AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", count(*)::int AS "count!"
FROM organizations o WHERE NOT o.is_deleted AND o.created_at >= :from!::timestamptz GROUP BY 2
UNION ALL
SELECT 'users', to_char(u.created_at AT TIME ZONE :timeZone, 'YYYY-MM-DD'), count(*)::int
FROM users u WHERE NOT u.is_deleted AND u.created_at >= :from GROUP BY 2
UNION ALL
SELECT 'tickets', to_char(t.created_at AT TIME ZONE :timeZone, 'YYYY-MM-DD'), count(*)::int
FROM tickets t WHERE NOT t.is_deleted AND t.created_at >= :from GROUP BY 2;

/* @name countPlatform */
SELECT
  (SELECT count(*)::int FROM organizations WHERE NOT is_deleted AND status = 'SUSPENDED') AS "suspended_organizations!",
  (SELECT count(*)::int FROM tickets WHERE NOT is_deleted AND status IN ('OPEN', 'IN_PROGRESS')) AS "open_tickets!";

/* Counts organizations, grouped by everything that determines their plan. */
/* @name countByPlanSource */
SELECT s.plan_override AS "plan_override?", s.status AS "status?", s.price_id AS "price_id?",
  COALESCE(s.trial_ends_at > now(), false) AS "is_on_trial!", count(*)::int AS "organizations!"
FROM organizations o LEFT JOIN organization_subscriptions s ON s.organization_id = o.id
WHERE NOT o.is_deleted
GROUP BY 1, 2, 3, 4;

/* Returns the trials that end within seven days, except those of organizations with a subscription. */
/* @name listTrialsEnding */
SELECT o.id, o.name, s.trial_ends_at AS "ends_at!", count(*) OVER ()::int AS "total!"
FROM organizations o JOIN organization_subscriptions s ON s.organization_id = o.id
WHERE NOT o.is_deleted AND s.trial_ends_at > now() AND s.trial_ends_at <= now() + interval '7 days'
  AND s.plan_override IS NULL AND s.status IS DISTINCT FROM 'active' AND s.status IS DISTINCT FROM 'trialing'
  AND s.status IS DISTINCT FROM 'past_due'
ORDER BY s.trial_ends_at, o.id
LIMIT :max!;
