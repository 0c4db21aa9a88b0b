import type { z } from "zod";
import {
  areWithin,
  assertHeld,
  audit,
  authorize,
  changedFields,
  event,
  type OrganizationCall,
  type SignedInCall,
  transaction,
  unitForbidden,
} from "#kit";
import * as queries from "#sql/service-accounts";
import { isSameAssignment, roleEntry } from "../../core/accounts/memberships.ts";
import { resolveAssignments } from "../members/assignments.ts";
import { assignmentsOf, assignRoles } from "./accounts.ts";
import { findServiceAccount, showServiceAccount } from "./read.ts";
import type { ServiceAccountRolesBody } from "./schemas.ts";

/**
 * Replaces the roles of a service account. All its assignments must be in the caller's reach.
 * @throws validationFailed, notFound, unitForbidden, permissionNotHeld
 */
export async function changeServiceAccountRoles(
  call: OrganizationCall & SignedInCall,
  id: string,
  body: z.output<typeof ServiceAccountRolesBody>,
) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "ServiceAccounts.UpdateRoles");
    const reach = await permissions.reach("ServiceAccounts.UpdateRoles", tx.db);
    const wanted = body.assignments && (await resolveAssignments(tx.db, organizationId, body.assignments));
    await findServiceAccount(tx, reach, id, tx.db);
    if (wanted === undefined) return showServiceAccount(tx, id, tx.db);

    const current = await assignmentsOf(tx, id);
    const added = wanted.filter((one) => !current.some((other) => isSameAssignment(one, other)));
    const removed = current.filter((one) => !wanted.some((other) => isSameAssignment(one, other)));
    const places = wanted.map(({ unitId }) => unitId);
    if (!areWithin(reach, places)) throw unitForbidden();
    await assertHeld(tx, permissions, [...added, ...removed]);

    if (added.length === 0 && removed.length === 0) return showServiceAccount(tx, id, tx.db);
    const allUnits = [...places, ...removed.map(({ unitId }) => unitId)];
    const before = await showServiceAccount(tx, id, tx.db);
    const ids = removed.map((one) => one.id);
    await queries.deleteServiceAccountAssignments.run({ ids, organizationId }, tx.db);
    await assignRoles(tx, id, added);
    await audit(tx, "SERVICE_ACCOUNT_ROLES_CHANGED", {
      organizationId,
      target: { type: "service_account", id, unitIds: allUnits },
      metadata: { added: added.map(roleEntry), removed: removed.map(roleEntry) },
    });
    const object = await showServiceAccount(tx, id, tx.db);
    const previous = changedFields(before, object)?.from;
    await event(tx, "service_account.updated", { organizationId, id, object, previous, reach: { allUnits } });
    return object;
  });
}
