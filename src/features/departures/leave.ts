import {
  areWithin,
  assertHeld,
  authorize,
  conflict,
  forbidden,
  notFound,
  type OrganizationCall,
  type SignedInCall,
  type Tx,
  transaction,
  unrestricted,
} from "#kit";
import { lockUsers } from "#kit/inside";
import * as memberships from "#sql/people/memberships";
import { endSessionsIn } from "../../core/accounts/end-sessions.ts";
import {
  assertAnotherAdmin,
  assertNotLastAdmin,
  findMembership,
  isAdminAmong,
} from "../../core/accounts/memberships.ts";
import { findMember } from "../members/read.ts";
import { endMemberships } from "./end.ts";

/**
 * Removes a member, and ends the member's sessions in the organization. A caller who holds the permission only in a
 * unit can remove only members whose assignments and units are all in its subtree.
 * @throws notFound, permissionNotHeld, lastAdmin, subscriptionRenews; conflict if the caller is the member
 */
export async function removeMember(call: OrganizationCall, userId: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Members.Delete");
    const reach = await permissions.reach("Members.Delete", tx.db);
    await lockUsers(tx, [userId]);

    const member = await findMember(tx, reach, userId, tx.db);
    const units = unrestricted("a member is removed as a whole, so all roles and units are checked");
    const everything = { memberships: [member.id], units };
    const assignments = await memberships.listAssignments.run(everything, tx.db);
    const linked = await memberships.listLinkedUnits.run(everything, tx.db);
    const places = [...assignments.map(({ unitId }) => unitId), ...linked.map(({ id }) => id)];
    if (!areWithin(reach, places)) throw notFound();
    await assertHeld(tx, permissions, assignments);
    if (userId === tx.actor.userId) throw conflict();
    if (isAdminAmong(assignments)) await assertAnotherAdmin(tx, userId, [organizationId]);

    await endMemberships(tx, userId, [{ id: member.id, organizationId }], "removed");
    await endSessionsIn(tx, { organizationId, userId });
  });
}

/**
 * Ends the caller's own membership. At their next refresh, the caller's sessions continue in another organization.
 * @throws forbidden if the caller is no longer a member; lastAdmin, subscriptionRenews
 */
export async function leaveOrganization(tx: Tx<OrganizationCall & SignedInCall>): Promise<void> {
  const { organizationId } = tx;
  const { userId } = tx.actor;
  await authorize(tx, null);
  await lockUsers(tx, [userId]);
  const membership = await findMembership(tx.db, { organizationId, userId });
  if (membership === null) throw forbidden();
  await assertNotLastAdmin(tx, userId, [{ id: membership.id, organizationId }]);
  await endMemberships(tx, userId, [{ id: membership.id, organizationId }], "left");
}
