import * as members from "#sql/members";
import * as memberships from "#sql/people/memberships";
import type { ConfirmedPermissions } from "../../core/access/effective-permissions.ts";
import { unrestricted } from "../../core/access/reach.ts";
import { assertNoPrivilegeEscalation, gainsPermission } from "../../core/authorize/escalation.ts";
import type { OrganizationCall, Tx } from "../../core/context.ts";

/**
 * Rejects links to units that would give the caller permissions over the member (privilege escalation): a member is
 * in reach through each of their units.
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
  const linked = await members.listLinkedUnits.run({ memberships: [membershipId], units }, tx.db);
  await assertNoPrivilegeEscalation(tx, permissions, {
    from: [null, ...linked.map(({ id }) => id)],
    to: unitIds,
  });
}

/**
 * Decides whether the earlier activity of a returning member comes into reach of their units (rules 13.12). It does
 * when the member is linked by a caller who holds no permission in these units that they do not hold in the whole
 * organization.
 * @returns whether it came into reach now
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
