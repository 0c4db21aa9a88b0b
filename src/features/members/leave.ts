import * as members from "#sql/members";
import * as memberships from "#sql/people/memberships";
import { forbidden } from "../../core/access/errors.ts";
import { areWithin, unrestricted } from "../../core/access/reach.ts";
import { endSessionsIn } from "../../core/accounts/end-sessions.ts";
import {
  assertAnotherAdmin,
  assertNotLastAdmin,
  endMembership,
  findMembership,
  isAdminAmong,
} from "../../core/accounts/memberships.ts";
import { assertHeld, authorize } from "../../core/authorize/authorize.ts";
import type { OrganizationCall, SignedInCall, Tx } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { event } from "../../core/effects/event.ts";
import { lockUsers } from "../../core/locks.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { findMember, memberForEvent } from "./read.ts";

/**
 * Removes a member, and ends the member's sessions in the organization. A caller who holds the permission only in a
 * unit can remove only members whose assignments and units are all in its subtree.
 * @throws notFound, permissionNotHeld, lastAdmin; conflict if the caller is the member
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
    const linked = await members.listLinkedUnits.run(everything, tx.db);
    const places = [...assignments.map(({ unitId }) => unitId), ...linked.map(({ id }) => id)];
    if (!areWithin(reach, places)) throw notFound();
    await assertHeld(tx, permissions, assignments);
    if (userId === tx.actor.userId) throw conflict();
    if (isAdminAmong(assignments)) await assertAnotherAdmin(tx, userId, [organizationId]);

    await memberDeleted(tx, { organizationId, userId }, "removed");
    const roles = await endMembership(tx, member.id, { organizationId, userId });
    await endSessionsIn(tx, { organizationId, userId });
    const target = { type: "user", id: userId } as const;
    await audit(tx, "MEMBER_REMOVED", { organizationId, target, metadata: { roles } });
  });
}

/**
 * Ends the caller's own membership. At their next refresh, the caller's sessions continue in another organization.
 * @throws forbidden if the caller is no longer a member; lastAdmin
 */
export async function leaveOrganization(tx: Tx<OrganizationCall & SignedInCall>): Promise<void> {
  const { organizationId } = tx;
  const { userId } = tx.actor;
  await authorize(tx, null);
  await lockUsers(tx, [userId]);
  const membership = await findMembership(tx.db, { organizationId, userId });
  if (membership === null) throw forbidden();
  await assertNotLastAdmin(tx, userId, [{ id: membership.id, organizationId }]);

  await memberDeleted(tx, { organizationId, userId }, "left");
  const roles = await endMembership(tx, membership.id, { organizationId, userId });
  await audit(tx, "MEMBER_LEFT", {
    organizationId,
    target: { type: "user", id: userId },
    metadata: { roles },
  });
}

/**
 * Writes the event about the end of a membership, while its units are still known. Call under the organization's
 * lock.
 */
export async function memberDeleted(
  tx: Tx,
  { organizationId, userId }: { organizationId: string; userId: string },
  reason: "removed" | "left" | "account_deleted",
): Promise<void> {
  const object = () => memberForEvent({ organizationId, db: tx.db }, userId);
  await event(tx, "member.deleted", { organizationId, id: userId, object, reason, reach: { userId } });
}
