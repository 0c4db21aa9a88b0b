import type { z } from "zod";
import {
  assertHeld,
  audit,
  authorize,
  conflict,
  exactlyOne,
  isUnrestricted,
  isWithin,
  notify,
  type OrganizationCall,
  type Tx,
  transaction,
  unitForbidden,
  unrestricted,
  validationFailed,
} from "#kit";
import * as members from "#sql/members";
import * as memberships from "#sql/people/memberships";
import {
  addRoles,
  assertAnotherAdmin,
  isAdminAmong,
  isSameAssignment,
  roleEntry,
} from "../../core/accounts/memberships.ts";
import { assertBreakGlassLeft } from "../sign-on-policy/break-glass.ts";
import { type NamedAssignment, resolveAssignments } from "./assignments.ts";
import { assertNoEscalationByLinks, extendReachByLinks } from "./escalation.ts";
import { memberBefore, memberChanged } from "./events.ts";
import { findMember, showMember } from "./read.ts";
import type { MemberRolesBody } from "./schemas.ts";

/**
 * Replaces the roles of a member within the caller's reach that were given by hand: all of them, or those in the
 * caller's units. Roles by groups of connections stay; they count as roles that remain.
 * @throws validationFailed, notFound, unitForbidden, permissionNotHeld, conflict, lastAdmin, breakGlassRequired
 */
export async function changeMemberRoles(
  call: OrganizationCall,
  userId: string,
  body: z.output<typeof MemberRolesBody>,
) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Members.UpdateRoles");
    const reach = await permissions.reach("Members.UpdateRoles", tx.db);
    if (body.assignments === undefined) return showMember(tx, reach, userId, tx.db);
    const wanted = await resolveAssignments(tx.db, organizationId, body.assignments);
    if (isUnrestricted(reach.units) && wanted.length === 0 && !(await hasRoleByConnection(tx, userId)))
      throw noRole();

    const member = await findMember(tx, reach, userId, tx.db);
    const units = unrestricted("roles outside of the reach are kept, and count as the last role");
    const all = await memberships.listAssignments.run({ memberships: [member.id], units }, tx.db);
    const replaced = all.filter(({ unitId, source }) => source === "manual" && isWithin(reach, unitId));
    const added = wanted.filter((one) => !replaced.some((other) => isSameAssignment(one, other)));
    const removed = replaced.filter((one) => !wanted.some((other) => isSameAssignment(one, other)));

    if (!wanted.every(({ unitId }) => isWithin(reach, unitId))) throw unitForbidden();
    await assertHeld(tx, permissions, [...added, ...removed]);
    // A role in a unit links its holder to the unit.
    const linking = added.flatMap(({ unitId }) => unitId ?? []);
    await assertNoEscalationByLinks(tx, permissions, member.id, linking);
    if (all.length - removed.length + added.length === 0) throw conflict();
    if (isAdminAmong(removed)) {
      await assertAnotherAdmin(tx, userId, [organizationId]);
      await assertBreakGlassLeft(tx, userId, [organizationId]);
    }

    if (added.length > 0 || removed.length > 0) {
      const before = await memberBefore(tx, userId);
      await memberships.deleteAssignments.run({ ids: removed.map(({ id }) => id), organizationId }, tx.db);
      await addRoles(tx, member.id, added);
      await extendReachByLinks(tx, permissions, member.id, linking);
      await notifyAndAudit(tx, userId, added, removed);
      await memberChanged(tx, userId, before);
    }
    return showMember(tx, reach, userId, tx.db);
  });
}

async function hasRoleByConnection({ db, organizationId }: Tx<OrganizationCall>, userId: string) {
  return exactlyOne(await members.hasRoleByConnection.run({ userId, organizationId }, db)).hasRole;
}

const noRole = () => validationFailed([{ path: "assignments", message: "assignments should not be empty" }]);

async function notifyAndAudit(
  tx: Tx<OrganizationCall>,
  userId: string,
  added: NamedAssignment[],
  removed: NamedAssignment[],
): Promise<void> {
  const { organizationId } = tx;
  const changes = { added: added.map(roleEntry), removed: removed.map(roleEntry) };
  const target = { type: "user", id: userId } as const;
  await audit(tx, "MEMBER_ROLES_CHANGED", { organizationId, target, metadata: changes });
  await notify(tx, userId, "ROLES_CHANGED", { ...changes, organizationId });
}
