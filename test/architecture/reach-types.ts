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
 * Queries require a reach, and writes of permissions require what the database confirmed. Never run: tsc checks it with
 * the rest, and reports every `@ts-expect-error` whose next line compiles.
 */
export async function queriesRequireReach({ permissions, db }: OrganizationCall, unitIds: string[]) {
  const { units: reach } = await permissions.reach("Members.Read", db);
  const counted = { organizationId: "x", search: null, members: null };
  await members.countMembers.run({ ...counted, units: reach }, db);
  await members.countMembers.run({ ...counted, units: restrictReach(reach, unitIds) }, db);
  await members.countMembers.run({ ...counted, units: unrestricted("an example") }, db);
  // @ts-expect-error no reach
  await members.countMembers.run(counted, db);
  // @ts-expect-error no restriction, and no reason
  await members.countMembers.run({ ...counted, units: null }, db);
  // @ts-expect-error undefined is null for the database
  await members.countMembers.run({ ...counted, units: undefined }, db);
  // @ts-expect-error units that nobody checked
  await members.countMembers.run({ ...counted, units: unitIds }, db);
  // @ts-expect-error nothing says which roles and units are shown
  await members.findMember.run({ organizationId: "x", userId: "x", units: reach }, db);
  // @ts-expect-error no reach for the roles
  await memberships.listAssignments.run({ memberships: ["x"] }, db);
  // @ts-expect-error no reach for the todos of others
  await todos.findTodo.run({ id: "x", userId: "x", any: true, ownUnits: reach }, db);
  // @ts-expect-error a filter of the request is no reach
  await units.listTree.run({ organizationId: "x", units: unitIds }, db);
}

export function reasonsAreLiterals(reason: string): ReachUnits[] {
  // @ts-expect-error no reason
  unrestricted();
  // @ts-expect-error a reason that is not in the source
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
  // @ts-expect-error the token's reach
  isWithin(unconfirmed, null);
  // @ts-expect-error the token's reach
  areWithin(unconfirmed, []);
  // @ts-expect-error the token's permissions
  assertHeldEverywhere(permissions, []);
  // @ts-expect-error the token's permissions
  await assertHeld(tx, permissions, []);
  // @ts-expect-error the token's permissions
  await assertNoPrivilegeEscalation(tx, permissions, { from: [], to: [] });
  // @ts-expect-error the token's permissions
  await extendReachByLinks(tx, permissions, "x", []);
  // @ts-expect-error the token's reach
  await findInvitation(tx, await invitationReach(permissions, "Invitations.Delete", tx.db), "x");
}
