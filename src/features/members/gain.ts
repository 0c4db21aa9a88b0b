import * as members from "#sql/members";
import type { Authority } from "../../core/access/authority.ts";
import { assertNoPrivilegeEscalation } from "../../core/access/authorize.ts";
import type { Tx } from "../../core/context.ts";

/**
 * Nobody links a member to where they hold more over them than now, however the link is made. A person is reached by
 * any of their units, and organization-wide by none.
 * @param unitIds the units that the member is to be linked to, or is already
 * @throws permissionNotHeld
 */
export async function refuseGainByLinks(
  tx: Tx,
  authority: Authority,
  membershipId: string,
  unitIds: string[],
): Promise<void> {
  if (unitIds.length === 0) return;
  const linked = await members.listLinkedUnits.run({ memberships: [membershipId], units: null }, tx.db);
  await assertNoPrivilegeEscalation(tx, authority, {
    from: [null, ...linked.map(({ id }) => id)],
    to: unitIds,
  });
}
