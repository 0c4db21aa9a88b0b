import type { z } from "zod";
import {
  areWithin,
  audit,
  authorize,
  conflict,
  findUnits,
  type OrganizationCall,
  transaction,
  unitForbidden,
  validationFailed,
} from "#kit";
import * as members from "#sql/members";
import * as memberships from "#sql/people/memberships";
import { assertNoEscalationByLinks, extendReachByLinks } from "./escalation.ts";
import { memberBefore, memberChanged } from "./events.ts";
import { findMember, showChangedMember, showMember } from "./read.ts";
import type { MemberUnitsBody } from "./schemas.ts";

/**
 * Replaces the units of a member within the caller's reach.
 * @throws forbidden, validationFailed, notFound, unitForbidden; permissionNotHeld if the change would give the
 * caller a permission over the member; conflict if the member has a role in a unit that would be unlinked
 */
export async function changeMemberUnits(
  call: OrganizationCall,
  userId: string,
  body: z.output<typeof MemberUnitsBody>,
) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Members.UpdateUnits");
    const reach = await permissions.reach("Members.UpdateUnits", tx.db);
    const { unitIds } = body;
    if (unitIds === undefined) return showMember(tx, reach, userId, tx.db);
    const wanted = await findUnits(tx.db, organizationId, unitIds);
    const problems = unitIds.flatMap((id, index) => {
      const path = `unitIds.${index}`;
      return wanted.has(id) ? [] : [{ path, message: `${path} must be an existing unit` }];
    });
    if (problems.length > 0) throw validationFailed(problems);

    const member = await findMember(tx, reach, userId, tx.db);
    const inReach = { memberships: [member.id], units: reach.units };
    const linked = await memberships.listLinkedUnits.run(inReach, tx.db);
    const linkedIds = new Set(linked.map(({ id }) => id));
    const added = [...wanted.values()].filter(({ id }) => !linkedIds.has(id));
    const removed = linked.filter(({ id }) => !wanted.has(id));

    if (!areWithin(reach, [...wanted.keys()])) throw unitForbidden();
    const addedIds = added.map(({ id }) => id);
    await assertNoEscalationByLinks(tx, permissions, member.id, addedIds);
    const assigned = await memberships.listAssignments.run(inReach, tx.db);
    if (assigned.some(({ unitId }) => removed.some(({ id }) => id === unitId))) throw conflict();

    const before = await memberBefore(tx, userId);
    const isExtended = await extendReachByLinks(tx, permissions, member.id, unitIds);
    if (added.length > 0 || removed.length > 0 || isExtended) {
      const place = { membershipId: member.id, organizationId };
      await memberships.linkUnits.run({ membershipId: member.id, unitIds: addedIds }, tx.db);
      await members.unlinkUnits.run({ ...place, unitIds: removed.map(({ id }) => id) }, tx.db);
      const entry = ({ id, name }: { id: string; name: string }) => ({ unitId: id, unitName: name });
      await audit(tx, "MEMBER_UNITS_CHANGED", {
        organizationId,
        target: { type: "user", id: userId },
        // If the member's earlier activity became visible, all units count as added, because their administrators
        // see more than before.
        metadata: {
          added: (isExtended ? [...wanted.values()] : added).map(entry),
          removed: removed.map(entry),
        },
      });
      await memberChanged(tx, userId, before, { leftUnits: removed.map(({ id }) => id) });
    }
    return showChangedMember(tx, reach, userId, tx.db);
  });
}
