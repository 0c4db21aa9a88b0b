import {
  assertNoPrivilegeEscalation,
  type ConfirmedPermissions,
  type OrganizationCall,
  type Tx,
  unrestricted,
} from "#kit";
import { gainsPermission } from "#kit/inside";
import * as memberships from "#sql/people/memberships";

/**
 * Rejects links to units that would give the caller permissions over the member (privilege escalation). A member is
 * in the reach of every unit to which the member is linked.
 * @param unitIds the units to which the member is to be linked, or is linked already
 * @throws permissionNotHeld
 */
export async function assertNoEscalationByLinks(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  membershipId: string,
  unitIds: string[],
): Promise<void> {
  if (unitIds.length === 0) return;
  const units = unrestricted("the caller's permissions are compared in all units of the member");
  const linked = await memberships.listLinkedUnits.run({ memberships: [membershipId], units }, tx.db);
  await assertNoPrivilegeEscalation(tx, permissions, {
    from: [null, ...linked.map(({ id }) => id)],
    to: unitIds,
  });
}

/**
 * Makes the earlier activity of a returning member visible in the member's units (rules 13.12), if the caller may
 * decide this: the caller holds no permission in these units that the caller does not hold in the whole
 * organization.
 * @returns whether the activity became visible now
 */
export async function extendReachByLinks(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  membershipId: string,
  unitIds: string[],
): Promise<boolean> {
  if (unitIds.length === 0 || (await gainsPermission(tx, permissions, { from: [null], to: unitIds })))
    return false;
  return (
    (
      await memberships.extendReachToHistory.run(
        { id: membershipId, organizationId: tx.organizationId },
        tx.db,
      )
    ).length > 0
  );
}
