import type { Service } from "../support/service.ts";

/** Of a million events, those of the largest organization; the others are the neighbours' and the platform's. */
export const EVENTS_OF_BIG = 700_000;
const EVENTS = 1_000_000;

const INSERT = `INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip,
  request_id, time, subject_user_id, subject_unit_ids, is_above_units)`;
const ENTRY = `{"roleId": "00000000-0000-7000-8000-000000000003", "roleName": "MEMBER", "unitId": null, "unitName": null}`;
const REST = `'{"added": [${ENTRY}], "removed": []}'::jsonb, '10.0.' || n % 200 || '.' || n % 250,
  gen_random_uuid(), now() - n * interval '30 seconds'`;

/** Fills the audit log: events of a year, most of them by members of one organization about each other. */
export async function seedEvents(t: Service, organizationId: string): Promise<void> {
  await t.sql(
    `WITH people AS (
       SELECT user_id, row_number() OVER (ORDER BY sort_email) - 1 AS number, count(*) OVER () AS many
       FROM memberships WHERE organization_id = $1
     ), places AS (
       SELECT id, row_number() OVER (ORDER BY name, id) - 1 AS number, count(*) OVER () AS many
       FROM units WHERE organization_id = $1
     ), drawn AS (
       SELECT n,
         CASE n % 10 WHEN 0 THEN 'ROLE_UPDATED' WHEN 1 THEN 'UNIT_UPDATED' WHEN 2 THEN 'USER_INVITED'
           WHEN 3 THEN 'MEMBER_REMOVED' WHEN 4 THEN 'MEMBER_UNITS_CHANGED' WHEN 5 THEN 'ORGANIZATION_SWITCHED'
           WHEN 6 THEN 'ORGANIZATION_SWITCHED' ELSE 'MEMBER_ROLES_CHANGED' END AS action,
         abs(hashint4(n)) % (SELECT many FROM people LIMIT 1) AS actor,
         abs(hashint4(n + 1)) % (SELECT many FROM people LIMIT 1) AS target,
         abs(hashint4(n + 2)) % (SELECT many FROM places LIMIT 1) AS place
       FROM generate_series(1, $2::int) n
     ), told AS (
       SELECT d.n, d.action, actor.user_id AS actor_id,
         CASE WHEN d.action LIKE 'MEMBER%' THEN target.user_id END AS user_id,
         CASE WHEN d.action IN ('UNIT_UPDATED', 'USER_INVITED') THEN place.id END AS unit_id
       FROM drawn d JOIN people actor ON actor.number = d.actor JOIN people target ON target.number = d.target
       JOIN places place ON place.number = d.place
     )
     ${INSERT}
     SELECT action, actor_id,
       CASE WHEN user_id IS NOT NULL THEN 'user' WHEN action = 'UNIT_UPDATED' THEN 'unit'
         WHEN action = 'USER_INVITED' THEN 'invitation' ELSE 'organization' END,
       COALESCE(user_id, unit_id), $1, ${REST}, user_id,
       CASE WHEN unit_id IS NULL THEN '{}' ELSE ARRAY[unit_id] END, user_id IS NULL AND unit_id IS NULL
     FROM told`,
    [organizationId, EVENTS_OF_BIG],
  );
  await t.sql(
    `WITH people AS (
       SELECT user_id, organization_id, row_number() OVER (ORDER BY id) - 1 AS number, count(*) OVER () AS many
       FROM memberships WHERE organization_id <> $1
     )
     ${INSERT}
     SELECT CASE n % 3 WHEN 0 THEN 'LOGIN_SUCCEEDED' ELSE 'MEMBER_ROLES_CHANGED' END, user_id, 'user', user_id,
       CASE n % 3 WHEN 0 THEN NULL ELSE organization_id END, ${REST}, user_id, '{}', false
     FROM generate_series(1, $2::int) n
     JOIN people ON people.number = abs(hashint4(n)) % (SELECT many FROM people LIMIT 1)`,
    [organizationId, EVENTS - EVENTS_OF_BIG],
  );
}
