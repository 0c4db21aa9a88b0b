import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";
import { unpackIds } from "../../../../src/core/access/packed-ids.ts";
import type { Service } from "../../../support/service.ts";
import { claimsOf } from "./claims.ts";
import { operationSet } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import type { RequestPlan } from "./requests.ts";
import type { ApiResponse, BuiltRequest } from "./send.ts";

/*
 * Checks that a request grants only permissions that its sender holds (rules 12.6): the sender's token has each
 * permission for the whole organization, or for a unit above.
 */

type Claims = typeof AccessTokenClaims._output;
type Permission = Claims["permissions"][number];
type Grant = { permissions: Permission[]; unit_id: string | null };

const GRANT_ROLES = operationSet(
  ...["invite", "resendInvitation", "changeMemberRoles"],
  ...["createServiceAccount", "changeServiceAccountRoles"],
);
/** Operations that give away all permissions of the service account in the path. */
const HAND_OUT_KEYS = operationSet("createApiKey", "rotateApiKey");
const WRITE_ROLES = operationSet("createRole", "updateRole");

/**
 * Finds a permission that a request granted and its sender does not hold.
 * @param since the time at which the request was sent; the database has the same clock
 */
export async function checkGrants(
  { operation }: RequestPlan,
  { line, token, params }: BuiltRequest,
  { status, body, headers }: ApiResponse,
  t: Service,
  since: number,
): Promise<Finding | null> {
  // The sender of a stored response held the permissions when the request was first sent.
  if (status >= 300 || token === null || headers.has("idempotent-replayed")) return null;
  const claims = claimsOf(token) as Claims;
  if (claims.isPlatformAdmin || claims.organization === null || claims.unitGrants === null) return null;
  const granted = GRANT_ROLES.has(operation)
    ? await grantsSince(t, claims.organization.id, since)
    : WRITE_ROLES.has(operation)
      ? [{ permissions: (body as Grant).permissions, unit_id: null }]
      : HAND_OUT_KEYS.has(operation)
        ? await grantsOfServiceAccount(t, params.id ?? "")
        : [];
  for (const { permissions, unit_id } of granted) {
    const above = unit_id === null ? [] : await unitsAbove(t, unit_id);
    const unheld = permissions.find((permission) => !isHeld(claims, permission, above));
    if (unheld !== undefined)
      return {
        kind: "access",
        what: `${line}\n    grants ${unheld} in ${unit_id ?? "the whole organization"}, which its sender does not hold`,
      };
  }
  return null;
}

const grantsSince = (t: Service, organizationId: string, since: number) =>
  t.sql<Grant>(
    `SELECT r.permissions, a.unit_id FROM membership_assignments a JOIN roles r ON r.id = a.role_id
     WHERE a.organization_id = $1 AND a.created_at >= $2
     UNION ALL
     SELECT r.permissions, a.unit_id FROM service_account_assignments a JOIN roles r ON r.id = a.role_id
     WHERE a.organization_id = $1 AND a.created_at >= $2
     UNION ALL
     SELECT r.permissions, a.unit_id FROM user_invitations i
     JOIN user_invitation_assignments a ON a.invitation_id = i.id JOIN roles r ON r.id = a.role_id
     WHERE i.organization_id = $1 AND i.last_sent_at >= $2 AND NOT r.is_deleted`,
    [organizationId, new Date(since)],
  );

const grantsOfServiceAccount = (t: Service, id: string) =>
  t.sql<Grant>(
    `SELECT r.permissions, a.unit_id FROM service_account_assignments a JOIN roles r ON r.id = a.role_id
     WHERE a.service_account_id = $1`,
    [id],
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
