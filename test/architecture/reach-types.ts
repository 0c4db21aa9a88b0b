import * as members from "#sql/members";
import * as memberships from "#sql/people/memberships";
import * as todos from "#sql/todos";
import * as units from "#sql/units";
import {
  areWithin,
  isWithin,
  type ReachUnits,
  restrictReach,
  unrestricted,
} from "../../src/core/access/reach.ts";
import { assertHeld, assertHeldEverywhere, authorize } from "../../src/core/authorize/authorize.ts";
import { assertNoPrivilegeEscalation } from "../../src/core/authorize/escalation.ts";
import type { OrganizationCall, Tx } from "../../src/core/context.ts";
import { findInvitation, invitationReach } from "../../src/features/invitations/read.ts";
import { extendReachByLinks } from "../../src/features/members/escalation.ts";

/**
 * Tests at compile time that queries require a reach, and that granting permissions requires those confirmed by the
 * database. tsc reports every `@ts-expect-error` whose next line has no error. The file is never executed.
 */
export async function queriesRequireReach({ permissions, db }: OrganizationCall, unitIds: string[]) {
  const { units: reach } = await permissions.reach("Members.Read", db);
  const counted = { organizationId: "x", search: null, member: null, hasTwoFactor: null };
  await members.countMembers.run({ ...counted, units: reach }, db);
  await members.countMembers.run({ ...counted, units: restrictReach(reach, unitIds) }, db);
  await members.countMembers.run({ ...counted, units: unrestricted("an example") }, db);
  // @ts-expect-error the reach is missing
  await members.countMembers.run(counted, db);
  // @ts-expect-error null means unrestricted, which needs a reason
  await members.countMembers.run({ ...counted, units: null }, db);
  // @ts-expect-error undefined would be sent as NULL, which means unrestricted
  await members.countMembers.run({ ...counted, units: undefined }, db);
  // @ts-expect-error unit ids that were not checked against the caller's permissions
  await members.countMembers.run({ ...counted, units: unitIds }, db);
  // @ts-expect-error the reaches that limit the returned roles and units are missing
  await members.findMember.run({ organizationId: "x", userId: "x", units: reach }, db);
  // @ts-expect-error the reach that limits the returned roles is missing
  await memberships.listAssignments.run({ memberships: ["x"] }, db);
  // @ts-expect-error the reach for other users' todos is missing
  await todos.findTodo.run({ id: "x", userId: "x", ownUnits: reach }, db);
  // @ts-expect-error unit ids from a request are not a reach
  await units.listTree.run({ organizationId: "x", units: unitIds }, db);
}

export function reasonsAreLiterals(reason: string): ReachUnits[] {
  // @ts-expect-error the reason is missing
  unrestricted();
  // @ts-expect-error the reason is not a literal in the source
  return [unrestricted("an example"), unrestricted(reason)];
}

export async function writesRequireConfirmation(tx: Tx<OrganizationCall>) {
  const confirmed = await authorize(tx, "Members.UpdateRoles");
  const inReach = await confirmed.reach("Members.UpdateRoles", tx.db);
  isWithin(inReach, null);
  assertHeldEverywhere(confirmed, []);
  await findInvitation(tx, await invitationReach(confirmed, "Invitations.Delete", tx.db), "x");

  const { permissions } = tx;
  const unconfirmed = await permissions.reach("Members.UpdateRoles", tx.db);
  // @ts-expect-error a reach from the access token, not confirmed by the database
  isWithin(unconfirmed, null);
  // @ts-expect-error a reach from the access token, not confirmed by the database
  areWithin(unconfirmed, []);
  // @ts-expect-error permissions from the access token, not confirmed by the database
  assertHeldEverywhere(permissions, []);
  // @ts-expect-error permissions from the access token, not confirmed by the database
  await assertHeld(tx, permissions, []);
  // @ts-expect-error permissions from the access token, not confirmed by the database
  await assertNoPrivilegeEscalation(tx, permissions, { from: [], to: [] });
  // @ts-expect-error permissions from the access token, not confirmed by the database
  await extendReachByLinks(tx, permissions, "x", []);
  // @ts-expect-error a reach from the access token, not confirmed by the database
  await findInvitation(tx, await invitationReach(permissions, "Invitations.Delete", tx.db), "x");
}
