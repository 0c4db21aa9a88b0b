import type { z } from "zod";
import {
  audit,
  authorize,
  changedFields,
  endOf,
  type OrganizationCall,
  type Tx,
  transaction,
  type Violation,
  validationFailed,
} from "#kit";
import { isKnownPermission } from "#kit/inside";
import * as queries from "#sql/domains";
import { domainNotVerified } from "../../core/access/sign-on-errors.ts";
import { roleEntry, rolesAndUnits } from "../../core/accounts/memberships.ts";
import { type NamedAssignment, resolveAssignments } from "../members/assignments.ts";
import { assertGivenOrDefault } from "../members/given.ts";
import { isTooMuchForJoining } from "./join-roles.ts";
import { assignmentsOf, findDomain, showDomain } from "./read.ts";
import type { UpdateDomainBody } from "./schemas.ts";

/**
 * Changes how people of a domain sign in and join. Who lets people join gives them the roles, so the caller must hold
 * their permissions.
 * @throws validationFailed, notFound, permissionNotHeld, domainNotVerified
 */
export async function updateDomain(
  call: OrganizationCall,
  id: string,
  change: z.output<typeof UpdateDomainBody>,
) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "SingleSignOn.Update");
    const wanted =
      change.joinAssignments === undefined
        ? null
        : await resolveAssignments(tx.db, organizationId, change.joinAssignments, "joinAssignments");
    refuseStrongRoles(change.joinAssignments ?? [], wanted ?? []);
    await assertConnectionExists(tx, change.connectionId);
    const row = await findDomain(tx.db, organizationId, id);
    const before = {
      connectionId: row.connectionId,
      join: row.joinMode,
      joinAssignments: assignmentsOf(row),
    };
    const { connectionId = before.connectionId, join = before.join } = change;
    const joinAssignments = wanted?.map(roleEntry) ?? before.joinAssignments;
    // Who lets people join gives them the roles, the default role included.
    const opens = join !== "off" && (wanted !== null || join !== before.join);
    if (wanted !== null || opens) {
      const given =
        wanted ??
        (await resolveAssignments(tx.db, organizationId, before.joinAssignments, "joinAssignments"));
      await assertGivenOrDefault(tx, permissions, given);
    }
    if (change.join !== undefined && join !== "off" && row.status !== "VERIFIED") throw domainNotVerified();
    const changed = changedFields(before, { connectionId, join, joinAssignments });
    if (changed === null) return showDomain(tx, id);
    await queries.updateDomain.run({ id, organizationId, connectionId, join }, tx.db);
    if (wanted !== null)
      await queries.replaceDomainAssignments.run(
        { domainId: id, organizationId, ...rolesAndUnits(wanted) },
        tx.db,
      );
    const { domain } = row;
    if (join === "off" && before.join !== "off") await endOf("domain", tx, { organizationId, domain });
    await audit(tx, "DOMAIN_UPDATED", {
      organizationId,
      target: { type: "domain", id },
      metadata: { domain, ...changed },
    });
    return showDomain(tx, id);
  });
}

/** @throws validationFailed for roles that nobody gets by joining */
function refuseStrongRoles(grants: { roleId: string }[], roles: NamedAssignment[]): void {
  const problems: Violation[] = grants.flatMap(({ roleId }, index) => {
    const permissions = roles.find((role) => role.roleId === roleId)?.permissions ?? [];
    const path = `joinAssignments.${index}.roleId`;
    const strong = permissions.find((name) => isKnownPermission(name) && isTooMuchForJoining(name));
    return strong === undefined ? [] : [{ path, message: `${path} must not hold ${strong}` }];
  });
  if (problems.length > 0) throw validationFailed(problems);
}

async function assertConnectionExists(tx: Tx<OrganizationCall>, id: string | null | undefined) {
  if (id === undefined || id === null) return;
  const [connection] = await queries.isLiveConnection.run({ id, organizationId: tx.organizationId }, tx.db);
  if (connection?.isLive) return;
  const message = "connectionId must be an existing connection";
  throw validationFailed([{ path: "connectionId", message }]);
}
