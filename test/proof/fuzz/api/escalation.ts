import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";
import { unpackIds } from "../../../../src/core/access/packed-ids.ts";
import { claimsOf } from "../../../support/caller.ts";
import type { Service } from "../../../support/service.ts";
import type { Finding } from "./oracles.ts";
import type { Plan } from "./requests.ts";
import type { Answer, Sent } from "./send.ts";

/*
 * Nobody gives what they do not hold (rules 12.6): of what a request has just given, every permission is one that the
 * token of its sender has, for the whole organization or over the unit.
 */

type Claims = typeof AccessTokenClaims._output;
type Permission = Claims["permissions"][number];
type Given = { permissions: Permission[]; unit_id: string | null };

const GIVE_ROLES = new Set(["invite", "resendInvitation", "changeMemberRoles"]);
const MAKE_ROLES = new Set(["createRole", "updateRole"]);

/** @param since when the request was sent, of the same clock as the database */
export async function givenUnheld(
  { operation }: Plan,
  { line, token }: Sent,
  { status, body }: Answer,
  t: Service,
  since: number,
): Promise<Finding | null> {
  if (status >= 300 || token === null) return null;
  const claims = claimsOf(token) as Claims;
  if (claims.isPlatformAdmin || claims.organization === null || claims.unitGrants === null) return null;
  const given = GIVE_ROLES.has(operation)
    ? await givenSince(t, claims.organization.id, since)
    : MAKE_ROLES.has(operation)
      ? [{ permissions: (body as Given).permissions, unit_id: null }]
      : [];
  for (const { permissions, unit_id } of given) {
    const above = unit_id === null ? [] : await unitsAbove(t, unit_id);
    const unheld = permissions.find((permission) => !isHeld(claims, permission, above));
    if (unheld !== undefined)
      return {
        kind: "access",
        what: `${line}\n    gives ${unheld} in ${unit_id ?? "the whole organization"}, which its sender does not hold`,
      };
  }
  return null;
}

const givenSince = (t: Service, organizationId: string, since: number) =>
  t.sql<Given>(
    `SELECT r.permissions, a.unit_id FROM membership_assignments a JOIN roles r ON r.id = a.role_id
     WHERE a.organization_id = $1 AND a.created_at >= $2
     UNION ALL
     SELECT r.permissions, a.unit_id FROM user_invitations i
     JOIN user_invitation_assignments a ON a.invitation_id = i.id JOIN roles r ON r.id = a.role_id
     WHERE i.organization_id = $1 AND i.last_sent_at >= $2 AND NOT r.is_deleted`,
    [organizationId, new Date(since)],
  );

async function unitsAbove(t: Service, unitId: string): Promise<string[]> {
  const above = await t.sql<{ id: string }>(
    `WITH RECURSIVE above AS (
       SELECT id, parent_id FROM units WHERE id = $1
       UNION SELECT u.id, u.parent_id FROM units u JOIN above a ON a.parent_id = u.id)
     SELECT id FROM above`,
    [unitId],
  );
  return above.map(({ id }) => id);
}

const isHeld = ({ permissions, unitGrants }: Claims, permission: Permission, above: string[]): boolean =>
  permissions.includes(permission) ||
  (unitGrants ?? []).some(
    (grant) =>
      grant.permissions.includes(permission) && unpackIds(grant.roots).some((root) => above.includes(root)),
  );
