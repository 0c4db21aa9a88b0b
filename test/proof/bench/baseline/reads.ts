import type { SQL } from "bun";
import type { Claims } from "./tokens.ts";

const PROFILE = `
  SELECT id, email, first_name AS "firstName", last_name AS "lastName", lower(language::text) AS language,
    email_verified_at AS "emailVerifiedAt", is_platform_admin AS "isPlatformAdmin",
    two_factor_enabled_at IS NOT NULL AS "twoFactorEnabled", created_at AS "createdAt",
    (SELECT count(*)::int FROM passkeys p WHERE p.user_id = users.id) AS "passkeyCount"
  FROM users WHERE id = $1 AND NOT is_deleted`;

/** The plan of these organizations has no features, and nobody is bound to a provider. */
const ORGANIZATIONS = `
  SELECT o.id, o.name, o.slug, o.status,
    ARRAY(SELECT DISTINCT r.name FROM membership_assignments a JOIN roles r ON r.id = a.role_id
      WHERE a.membership_id = m.id ORDER BY r.name) AS roles,
    o.id = $2::uuid AS current, '{}'::text[] AS features, NULL AS "blockedBy", NULL AS "connectionId"
  FROM memberships m JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
  WHERE m.user_id = $1 AND NOT m.is_deleted
  ORDER BY search_fold(o.name) COLLATE natural_order, o.id`;

/**
 * Returns the query of members with their assignments and units: of all members, or of those linked to the units in
 * `$2`.
 */
const membersOf = (place: "everywhere" | "units") => {
  const [linked, given, within] =
    place === "everywhere"
      ? ["", "", ""]
      : [
          `AND EXISTS (SELECT FROM membership_units mu
             WHERE mu.user_id = m.user_id AND mu.unit_id = ANY ($2::uuid[]) AND NOT mu.is_deleted)`,
          "AND a.unit_id = ANY ($2::uuid[])",
          "AND mu.unit_id = ANY ($2::uuid[])",
        ];
  return `
  SELECT u.id AS "userId", u.email, u.first_name AS "firstName", u.last_name AS "lastName", m.joined_at AS "joinedAt",
    COALESCE((
      SELECT json_agg(json_build_object('role', json_build_object('id', r.id, 'name', r.name), 'unit',
        CASE WHEN a.unit_id IS NOT NULL THEN json_build_object('id', a.unit_id, 'name', place.name) END, 'source', 'manual')
        ORDER BY a.unit_id IS NOT NULL, r.name, place.name, a.id)
      FROM membership_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units place ON place.id = a.unit_id
      WHERE a.membership_id = m.id ${given}), '[]') AS assignments,
    COALESCE((
      SELECT json_agg(json_build_object('id', place.id, 'name', place.name) ORDER BY place.name, place.id)
      FROM membership_units mu JOIN units place ON place.id = mu.unit_id
      WHERE mu.membership_id = m.id AND NOT mu.is_deleted ${within}), '[]') AS units,
    u.two_factor_enabled_at IS NOT NULL AS "twoFactorEnabled",
    (SELECT to_char(max(day), 'YYYY-MM-DD') FROM member_activity d
      WHERE d.organization_id = m.organization_id AND d.user_id = m.user_id) AS "lastActiveOn",
    (SELECT count(*)::int FROM memberships m WHERE m.organization_id = $1 AND NOT m.is_deleted ${linked}) AS total
  FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE m.organization_id = $1 AND NOT m.is_deleted ${linked}
  ORDER BY m.sort_name COLLATE natural_order, m.user_id LIMIT 20`;
};
const MEMBERS = membersOf("everywhere");
const MEMBERS_IN_UNITS = membersOf("units");

const TODOS = `
  SELECT t.id, t.title, t.completed, t.organization_id AS "organizationId", o.name AS "organizationName",
    t.created_at AS "createdAt", t.updated_at AS "updatedAt",
    (SELECT count(*)::int FROM todos WHERE user_id = $1 AND organization_id = $2 AND NOT is_deleted) AS total
  FROM todos t JOIN organizations o ON o.id = t.organization_id AND NOT o.is_deleted
  WHERE t.user_id = $1 AND t.organization_id = $2 AND NOT t.is_deleted
  ORDER BY t.created_at DESC, t.id DESC LIMIT 20`;

const UNITS = `
  SELECT u.id, u.name, u.parent_id AS "parentId", u.created_at AS "createdAt",
    (SELECT count(*)::int FROM membership_units mu WHERE mu.unit_id = u.id AND NOT mu.is_deleted) AS "memberCount"
  FROM units u WHERE u.organization_id = $1 AND NOT u.is_deleted
  ORDER BY u.search_name COLLATE natural_order, u.id`;

/** The queries of GET requests by path, one statement each. */
export function reads(sql: SQL): Record<string, (who: Claims) => Promise<unknown>> {
  const page = async (text: string, values: unknown[]) => {
    const data = await sql.unsafe(text, values);
    const total = data[0]?.total ?? 0;
    for (const row of data) delete row.total;
    return { data, total, page: 1, pageSize: 20 };
  };
  return {
    "/api/profile": async ({ sub }) => (await sql.unsafe(PROFILE, [sub]))[0],
    "/api/auth/organizations": async ({ sub, organization }) =>
      sql.unsafe(ORGANIZATIONS, [sub, organization?.id ?? null]),
    "/api/members": ({ organization, unitGrants: [grant] }) =>
      grant === undefined
        ? page(MEMBERS, [organization?.id])
        : page(MEMBERS_IN_UNITS, [organization?.id, sql.array(unpacked(grant.units), "UUID")]),
    "/api/todos": ({ sub, organization }) => page(TODOS, [sub, organization?.id]),
    "/api/units": async ({ organization }) => {
      const data = depthFirst(await sql.unsafe(UNITS, [organization?.id]));
      return { data, total: data.length, page: 1, pageSize: data.length };
    },
  };
}

/** Decodes the ids that a token contains as bytes. */
const unpacked = (ids: string) =>
  (Buffer.from(ids, "base64url").toString("hex").match(/.{32}/g) ?? []).map((id) =>
    id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  );

type Unit = { id: string; parentId: string | null; depth: number };

/** Sorts units depth-first: each unit followed by its sub-units, siblings in the given order. */
function depthFirst(units: Unit[]): Unit[] {
  const below = new Map<string | null, Unit[]>();
  for (const unit of units) {
    const siblings = below.get(unit.parentId);
    if (siblings === undefined) below.set(unit.parentId, [unit]);
    else siblings.push(unit);
  }
  const all: Unit[] = [];
  const visit = (parentId: string | null, depth: number) => {
    for (const unit of below.get(parentId) ?? []) {
      unit.depth = depth;
      all.push(unit);
      visit(unit.id, depth + 1);
    }
  };
  visit(null, 0);
  return all;
}
