/* What a product whose code runs elsewhere asks and reports (src/features/product-api). */

/* Returns how much of a limit is used: the sum of all rows, or of those that were first written in this month of UTC. */
/* @name countUsage */
SELECT COALESCE(sum(amount), 0)::bigint::text AS "used!" FROM product_usage
WHERE organization_id = :organizationId! AND limit_name = :limit!
  AND (NOT :isPerMonth!::boolean OR month = date_trunc('month', now() AT TIME ZONE 'UTC')::date);

/* Returns by how much the usage changed on each day, as far as the rows tell: a row whose amount changed later counts on that day. */
/* @name listUsageChanges */
SELECT (changed_at AT TIME ZONE :timeZone!)::date::text AS "day!", sum(amount)::float8 AS "change!"
FROM product_usage
WHERE organization_id = :organizationId! AND limit_name = :limit! AND changed_at >= :from!
  AND (NOT :isPerMonth!::boolean OR month = date_trunc('month', now() AT TIME ZONE 'UTC')::date)
GROUP BY 1;

/* The grants of roles that are assigned in these rows of assignments, as a JSON array: the product's permissions, and for an assignment
   in a unit the unit with all units below it. A role whose permissions have no effect in a unit costs no look at the tree. */
/* @fragment grants(assignment) */
COALESCE(jsonb_agg(jsonb_build_object('permissions', r.permissions, 'unitId', {assignment}.unit_id, 'units',
  CASE WHEN {assignment}.unit_id IS NOT NULL THEN ARRAY(SELECT unit_id FROM unit_subtree(ARRAY[{assignment}.unit_id])) END)), '[]');

/* Returns where a person stands in an organization now: the account, the session if one is asked for, the organization, the membership
   and what the plan follows from. One row, or none for an account that does not exist or was deleted. */
/* @name findPersonStanding */
SELECT u.id, u.email, u.first_name || ' ' || u.last_name AS "name!", u.language, u.is_platform_admin,
  session.user_id IS NOT NULL AS "is_session_live!", (session.proof ->> 'auth_time')::float8 AS "proved_at?",
  o.id AS "organization_id?", o.name AS "organization_name?", o.slug AS "organization_slug?", o.status AS "status?",
  m.id IS NOT NULL AS "is_member!",
  p.plan_override AS "plan_override?", p.trial_ends_at > now() AS "is_on_trial?", p.status AS "subscription_status?", p.price_id AS "price_id?",
  (SELECT @grants(a)
   FROM membership_assignments a
   JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted AND r.permissions && :names!::text[]
   LEFT JOIN units unit ON unit.id = a.unit_id
   WHERE a.membership_id = m.id AND unit.is_deleted IS NOT TRUE AND (a.unit_id IS NULL OR r.permissions && :inUnits!::text[])) AS "grants!"
FROM users u
LEFT JOIN LATERAL (
  SELECT t.user_id, t.proof FROM refresh_tokens t
  WHERE t.session_id = :sessionId::uuid AND t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > now()) session ON true
LEFT JOIN organizations o ON o.id = :organizationId::uuid AND NOT o.is_deleted
LEFT JOIN memberships m ON m.organization_id = o.id AND m.user_id = u.id AND NOT m.is_deleted
LEFT JOIN organization_subscriptions p ON p.organization_id = o.id
WHERE u.id = :userId! AND NOT u.is_deleted;

/* Like findPersonStanding, for a service account. */
/* @name findMachineStanding */
SELECT s.id, s.name, s.is_enabled, o.id AS "organization_id!", o.name AS "organization_name!", o.slug AS "organization_slug!", o.status AS "status!",
  p.plan_override AS "plan_override?", p.trial_ends_at > now() AS "is_on_trial?", p.status AS "subscription_status?", p.price_id AS "price_id?",
  (SELECT @grants(a)
   FROM service_account_assignments a
   JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted AND r.permissions && :names!::text[]
   LEFT JOIN units unit ON unit.id = a.unit_id
   WHERE a.service_account_id = s.id AND unit.is_deleted IS NOT TRUE AND (a.unit_id IS NULL OR r.permissions && :inUnits!::text[])) AS "grants!"
FROM service_accounts s
JOIN organizations o ON o.id = s.organization_id AND NOT o.is_deleted
LEFT JOIN organization_subscriptions p ON p.organization_id = o.id
WHERE s.id = :serviceAccountId! AND o.id = :organizationId! AND NOT s.is_deleted;
