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

/* The grants of a holder's roles as a JSON array: the permissions of the role, and for an assignment in a unit the unit with all units
   below it. A role whose permissions have no effect in a unit costs no look at the tree. */
/* @fragment grants(assignments, holder, id) */
SELECT COALESCE(jsonb_agg(jsonb_build_object('permissions', r.permissions, 'unitId', a.unit_id, 'units',
  CASE WHEN a.unit_id IS NOT NULL THEN ARRAY(SELECT unit_id FROM unit_subtree(ARRAY[a.unit_id])) END)), '[]')
FROM {assignments} a
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted AND r.permissions && (SELECT :names!::text[])
LEFT JOIN units unit ON unit.id = a.unit_id
WHERE a.{holder} = {id} AND unit.is_deleted IS NOT TRUE AND (a.unit_id IS NULL OR r.permissions && (SELECT :inUnits!::text[]));

/* Returns an account with its session (if one is given), an organization, the membership there with its grants, and the columns that
   decide the plan. Returns no row for an account that does not exist or was deleted. */
/* @name findPersonStanding */
SELECT u.id, u.email, u.first_name || ' ' || u.last_name AS "name!", u.language, u.is_platform_admin,
  session.user_id IS NOT NULL AS "is_session_live!", (session.proof ->> 'auth_time')::float8 AS "proved_at?",
  o.id AS "organization_id?", o.name AS "organization_name?", o.slug AS "organization_slug?", o.status AS "status?",
  m.id IS NOT NULL AS "is_member!",
  p.plan_override AS "plan_override?", p.trial_ends_at > now() AS "is_on_trial?", p.status AS "subscription_status?", p.price_id AS "price_id?",
  @grants(membership_assignments, membership_id, m.id) AS "grants!"
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
  @grants(service_account_assignments, service_account_id, s.id) AS "grants!"
FROM service_accounts s
JOIN organizations o ON o.id = s.organization_id AND NOT o.is_deleted
LEFT JOIN organization_subscriptions p ON p.organization_id = o.id
WHERE s.id = :serviceAccountId! AND o.id = :organizationId! AND NOT s.is_deleted;

/* Arrays are subqueries, so that the planner keeps one plan of a statement. Planning each execution took longer than the execution. */

/* Reads what a report of changes depends on, and keeps the organization from ending until the transaction ends: its status, which of
   the given units, people and actor belong or belonged to it, the live members among those who are notified, and who of them had fewer
   than :maxMails mails in the last hour. No row without a live organization. New ids are for the events of the report. */
/* @name findPlaceOfChanges */
SELECT o.status,
  ARRAY(SELECT u.id FROM units u WHERE u.organization_id = o.id AND u.id IN (SELECT unnest(:unitIds!::uuid[]))) AS "units!",
  ARRAY(SELECT m.user_id FROM memberships m WHERE m.organization_id = o.id AND m.user_id IN (SELECT unnest(:userIds!::uuid[]))) AS "people!",
  ARRAY(SELECT m.user_id FROM memberships m WHERE m.organization_id = o.id AND m.user_id IN (SELECT unnest(:notifiedIds!::uuid[])) AND NOT m.is_deleted) AS "notified!",
  ARRAY(SELECT person.id FROM unnest(:notifiedIds::uuid[]) AS person (id)
    WHERE (SELECT count(*) FROM (
      SELECT FROM notifications n WHERE n.user_id = person.id AND n.is_mailed AND n.created_at > now() - interval '1 hour' LIMIT :maxMails!::bigint) mailed)
      < :maxMails::bigint) AS "mailable!",
  CASE
    WHEN :actorId::uuid IS NULL THEN true
    WHEN :isMachine!::boolean THEN EXISTS (
      SELECT FROM service_accounts s WHERE s.id = :actorId AND s.organization_id = o.id
        AND (NOT s.is_deleted OR s.deleted_at > now() - interval '7 days'))
    ELSE EXISTS (
        SELECT FROM memberships m WHERE m.organization_id = o.id AND m.user_id = :actorId
          AND (NOT m.is_deleted OR m.deleted_at > now() - interval '7 days'))
      OR EXISTS (SELECT FROM users u WHERE u.id = :actorId AND u.is_platform_admin AND NOT u.is_deleted)
  END AS "is_actor!",
  ARRAY(SELECT uuidv7() FROM generate_series(1, :events!::int)) AS "event_ids!"
FROM organizations o WHERE o.id = :organizationId! AND NOT o.is_deleted
FOR SHARE OF o;

/* Sets the amounts of a ledger: `usage` is a JSON array of objects with these properties; 0 deletes a row. Returns for each of them the
   amount before, whether its row counts for the present period, and the sum of its limit before. */
/* @name setUsage */
WITH given AS (
  SELECT row_number() OVER () AS nth, * FROM jsonb_to_recordset(:given!::jsonb -> 'usage') AS g ("limit" text, id text, amount bigint, per_month boolean)
), this_month AS (
  SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date AS month
), removed AS (
  DELETE FROM product_usage u USING given g
  WHERE u.organization_id = :organizationId!::uuid AND u.limit_name = g."limit" AND u.id = g.id AND g.amount = 0
), written AS (
  INSERT INTO product_usage (organization_id, limit_name, id, amount)
  SELECT :organizationId::uuid, g."limit", g.id, g.amount FROM given g WHERE g.amount > 0 ORDER BY g."limit", g.id
  ON CONFLICT ON CONSTRAINT product_usage_pkey DO UPDATE SET amount = excluded.amount, changed_at = now()
  WHERE product_usage.amount <> excluded.amount
), sums AS (
  SELECT l."limit", COALESCE((
    SELECT sum(u.amount) FROM product_usage u
    WHERE u.organization_id = :organizationId AND u.limit_name = l."limit"
      AND (NOT l.per_month OR u.month = (SELECT month FROM this_month))), 0)::float8 AS used
  FROM (SELECT DISTINCT "limit", per_month FROM given) l
)
SELECT g."limit" AS "limit!", COALESCE(before.amount, 0)::float8 AS "before!",
  (NOT g.per_month OR before.month IS NULL OR before.month = (SELECT month FROM this_month)) AS "counts!", sums.used AS "used!"
FROM given g
JOIN sums ON sums."limit" = g."limit"
LEFT JOIN product_usage before ON before.organization_id = :organizationId AND before.limit_name = g."limit" AND before.id = g.id
ORDER BY g.nth;
