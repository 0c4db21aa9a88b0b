import { join } from "node:path";
import type { Tx } from "../core/context.ts";
import { plantTickets } from "./demo-tickets.ts";

/*
 * Creates a history of 90 days for the demo organization, so that lists and charts have content: tickets, activity
 * and events, invitations, members near the limit of the plan, and what `plantDemo` in the demo.ts of a feature adds.
 * Inserts rows directly, because the API would give everything the present time. Every new database gets the same data.
 */

const FIRST_NAMES = ["Lia", "Sam", "Petra", "Omar", "Ines", "Jonas", "Kira", "Leo", "Mara", "Noor"];
const LAST_NAMES = ["Moreno", "Okoro", "Quist", "Haddad", "Ferreira", "Lindqvist"];
const MORE_MEMBERS = 38;

/** Adds the demo data of a feature to an organization. The first five members are those whom a visitor signs in as. */
type PlantDemo = (tx: Tx, organizationId: string, members: string[]) => Promise<unknown>;

type People = { admin: string; members: string[]; units: string[]; memberRoleId: string };

/** Adds the history of an organization. */
export async function insertHistory(tx: Tx, organizationId: string, people: People): Promise<void> {
  await foundEarlier(tx, organizationId);
  const members = [...people.members, ...(await plantMembers(tx, organizationId, people))];
  await plantActivity(tx, organizationId, members);
  await plantFeatures(tx, organizationId, members);
  await plantTickets(tx, organizationId, { staff: people.members.slice(0, 2), members: members.slice(2) });
  await plantEvents(tx, organizationId, people);
  await plantInvitations(tx, organizationId, people);
}

/** Dates the organization, and the accounts and memberships of its first members, to the beginning of the history. */
const foundEarlier = (tx: Tx, organizationId: string) =>
  tx.db.query(
    `WITH organization AS (
       UPDATE organizations SET created_at = now() - interval '90 days' WHERE id = $1::uuid
     ), members AS (
       UPDATE memberships SET joined_at = now() - interval '90 days' WHERE organization_id = $1 RETURNING user_id
     ) UPDATE users SET created_at = now() - interval '90 days' WHERE id IN (SELECT user_id FROM members)`,
    [organizationId],
  );

async function plantMembers(tx: Tx, organizationId: string, { units, memberRoleId }: People) {
  const ids: string[] = [];
  for (let index = 0; index < MORE_MEMBERS; index += 1) {
    const [first, last] = [FIRST_NAMES[index % 10] ?? "", LAST_NAMES[(index * 5 + 1) % 6] ?? ""];
    const daysAgo = Math.round(((MORE_MEMBERS - index) / MORE_MEMBERS) ** 2 * 89);
    const rows = (await tx.db.query(
      `WITH account AS (
         INSERT INTO users (email, first_name, last_name, language, email_verified_at, two_factor_enabled_at)
         VALUES ($1, $2, $3, 'EN', now(), CASE WHEN $6::int % 3 > 0 THEN now() END) RETURNING id
       ), member AS (
         INSERT INTO memberships (organization_id, user_id, joined_at)
         SELECT $4::uuid, id, now() - make_interval(days => $5::int) FROM account RETURNING id, user_id
       ), role AS (
         INSERT INTO membership_assignments (membership_id, organization_id, role_id, unit_id)
         SELECT id, $4, $7::uuid, $8::uuid FROM member
       ), link AS (
         INSERT INTO membership_units (membership_id, organization_id, user_id, unit_id)
         SELECT id, $4, user_id, $8 FROM member
       ) SELECT user_id AS id FROM member`,
      [
        `${first}.${last}.${index}@demo.example`.toLowerCase(),
        first,
        last,
        organizationId,
        daysAgo,
        index,
        memberRoleId,
        units[index % units.length] ?? null,
      ],
    )) as { id: string }[];
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

const plantActivity = (tx: Tx, organizationId: string, members: string[]) =>
  tx.db.query(
    `INSERT INTO member_activity (organization_id, user_id, day)
     SELECT $1::uuid, m.user_id, day::date
     FROM memberships m CROSS JOIN generate_series(now() - interval '89 days', now(), interval '1 day') day
     WHERE m.organization_id = $1 AND m.user_id = ANY ($2::uuid[]) AND m.joined_at::date <= day::date
       AND abs(hashtext(m.user_id::text || day::date)) % 10 < CASE WHEN extract(isodow FROM day) > 5 THEN 2 ELSE 7 END
     ON CONFLICT DO NOTHING`,
    [organizationId, members],
  );

/** Adds the demo data of each feature that has some. */
async function plantFeatures(tx: Tx, organizationId: string, members: string[]): Promise<void> {
  const folder = join(import.meta.dir, "..");
  for (const file of [...new Bun.Glob("{features,product}/*/demo.ts").scanSync(folder)].sort()) {
    const { plantDemo }: { plantDemo: PlantDemo } = await import(join(folder, file));
    await plantDemo(tx, organizationId, members);
  }
}

/** Creates audit events of four kinds, in office hours. */
const plantEvents = (tx: Tx, organizationId: string, { admin, members, memberRoleId }: People) =>
  tx.db.query(
    `INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, time, subject_unit_ids,
       subject_user_id)
     SELECT kind.action, CASE WHEN n % 3 = 0 THEN ($3::uuid[])[1 + n % cardinality($3)] ELSE $2::uuid END, kind.target_type,
       CASE WHEN kind.target_type = 'unit' THEN unit.id ELSE person.id END, $1::uuid,
       kind.metadata, '203.0.113.' || (1 + n % 40), LEAST(at.time, now() - interval '1 hour'),
       CASE WHEN kind.target_type = 'unit' THEN ARRAY[unit.id] ELSE '{}' END,
       CASE WHEN kind.target_type = 'user' THEN person.id END
     FROM generate_series(0, 205) n
     CROSS JOIN LATERAL (SELECT abs(hashtext('day ' || n)) % 90 AS days_ago, 8 + abs(hashtext('hour ' || n)) % 11 AS hour) random
     CROSS JOIN LATERAL (SELECT date_trunc('day', now()) - make_interval(days => days_ago)
       + make_interval(hours => hour, mins => (n * 17) % 60) AS time) at
     JOIN LATERAL (SELECT id, name FROM units WHERE organization_id = $1 ORDER BY abs(hashtext(name || n)) LIMIT 1) unit ON true
     JOIN LATERAL (SELECT user_id AS id FROM memberships WHERE organization_id = $1
       ORDER BY abs(hashtext(user_id::text || n)) LIMIT 1) person ON true
     CROSS JOIN LATERAL (SELECT * FROM (VALUES
       (0, 'UNIT_UPDATED', 'unit', jsonb_build_object('from', jsonb_build_object('name', unit.name || ' office'),
         'to', jsonb_build_object('name', unit.name))),
       (1, 'MEMBER_ROLES_CHANGED', 'user', jsonb_build_object('added', jsonb_build_array(jsonb_build_object(
         'roleId', $4::text, 'roleName', 'MEMBER', 'unitId', unit.id, 'unitName', unit.name)), 'removed', '[]'::jsonb)),
       (2, 'MEMBER_UNITS_CHANGED', 'user', jsonb_build_object('added', jsonb_build_array(jsonb_build_object(
         'unitId', unit.id, 'unitName', unit.name)), 'removed', '[]'::jsonb)),
       (3, 'MEMBER_ROLES_CHANGED', 'user', jsonb_build_object('added', '[]'::jsonb, 'removed', jsonb_build_array(
         jsonb_build_object('roleId', $4::text, 'roleName', 'MEMBER', 'unitId', unit.id, 'unitName', unit.name))))
     ) kinds (number, action, target_type, metadata) WHERE number = abs(hashtext('kind ' || n)) % 4) kind`,
    [organizationId, admin, members, memberRoleId],
  );

const plantInvitations = (tx: Tx, organizationId: string, { admin, memberRoleId }: People) =>
  tx.db.query(
    `WITH invited AS (
       INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id, created_at, last_sent_at)
       SELECT $1::uuid, name || '@example.com', 'EN', encode(sha256(gen_random_uuid()::text::bytea), 'hex'),
         now() + make_interval(hours => hours), $2::uuid, now() - make_interval(hours => 168 - hours), now() - make_interval(hours => 168 - hours)
       FROM (VALUES ('carla', 20), ('dimitris', 40), ('farah', 150)) people (name, hours)
       RETURNING id
     )
     INSERT INTO user_invitation_assignments (invitation_id, role_id) SELECT id, $3::uuid FROM invited`,
    [organizationId, admin, memberRoleId],
  );
