import * as members from "#sql/people/memberships";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { ORG_ADMIN } from "../access/catalog.ts";
import type { Tx } from "../context.ts";
import type { RoleEntry } from "../effects/entries.ts";
import { lastAdmin } from "./errors.ts";
import { expireInvitationsOfMember } from "./pending-invitations.ts";

/** A role that is given: in the whole organization, or in a unit and everything below it. */
export type Given = { roleId: string; unitId: string | null };
export type Assignment = Awaited<ReturnType<typeof members.listAssignments.run>>[number];

export const isSameAssignment = (one: Given, other: Given): boolean =>
  one.roleId === other.roleId && one.unitId === other.unitId;

export const roleEntry = ({ roleId, roleName, unitId, unitName }: RoleEntry): RoleEntry => ({
  roleId,
  roleName,
  unitId,
  unitName,
});

type Place = { organizationId: string; userId: string };

/**
 * Makes somebody a member who is none, as was read under the organization's lock, unless nobody else can know the
 * organization yet; a membership that ended comes back with these roles alone. A role in a unit also links to the unit.
 * It travels with what comes after.
 */
export async function join(tx: Tx, place: Place, given: Given[]): Promise<void> {
  await members.insertMembership.run({ ...place, ...rolesAndUnits(given) }, tx.db.unawaited);
}

/** Gives roles to a member, and links the units that they name. */
export async function assign(tx: Tx, membershipId: string, given: Given[]): Promise<void> {
  if (given.length === 0) return;
  const { roleIds, unitIds } = rolesAndUnits(given);
  await members.insertAssignments.run({ membershipId, roleIds, unitIds }, tx.db);
  const linked = [...new Set(unitIds.filter((id) => id !== null))];
  if (linked.length > 0) await members.linkUnits.run({ membershipId, unitIds: linked }, tx.db);
}

const rolesAndUnits = (given: Given[]) => ({
  roleIds: given.map(({ roleId }) => roleId),
  // An array of nulls alone has no type of its own; the statement casts it.
  unitIds: given.map(({ unitId }) => unitId) as string[],
});

/** The membership that is live in an organization that is, with the organization's status, or null. */
export async function findMembership(db: Queryable, place: Place) {
  const [membership] = await members.findMembership.run(place, db);
  return membership ?? null;
}

/** Later sign-ins of the user begin in this organization (rules 6.1). */
export async function rememberOrganization(tx: Tx, userId: string, organizationId: string): Promise<void> {
  await members.setLastOrganization.run({ userId, organizationId }, tx.db);
}

/** The organizations that somebody can switch between. */
export const listOwnOrganizations = (db: Queryable, userId: string) =>
  members.listOwnOrganizations.run({ userId }, db);

/**
 * Ends a membership with its roles, its links and the invitations that it sent; answers the roles that it had. Under the
 * organization's lock.
 */
export async function endMembership(tx: Tx, membershipId: string, place: Place): Promise<RoleEntry[]> {
  const had = await members.listAssignments.run({ memberships: [membershipId], units: null }, tx.db);
  await members.deleteMembership.run({ id: membershipId }, tx.db);
  await expireInvitationsOfMember(tx, place);
  return had.map(roleEntry);
}

/** Whether whoever holds this email is a live member. */
export async function isMemberByEmail(
  db: Queryable,
  organizationId: string,
  email: string,
): Promise<boolean> {
  return (await members.findLiveMemberByEmail.run({ organizationId, email }, db)).length > 0;
}

/** Ends every membership of an organization that is deleted. */
export async function endAllMemberships(tx: Tx, organizationId: string): Promise<void> {
  await members.deleteMembershipsOfOrganization.run({ organizationId }, tx.db);
}

/** Whether one of these roles lets its holder administer the whole organization. */
export const isAdminAmong = (assignments: Given[]): boolean =>
  assignments.some(({ roleId, unitId }) => roleId === ORG_ADMIN.id && unitId === null);

/**
 * Refuses to let the only administrator go from people who stay. Under the organization's lock.
 * @throws lastAdmin
 */
export async function assertNotLastAdmin(tx: Tx, membershipId: string, place: Place): Promise<void> {
  const had = { memberships: [membershipId], units: null };
  if (isAdminAmong(await members.listAssignments.run(had, tx.db))) await assertAnotherAdmin(tx, place);
}

/**
 * Refuses to take the last administrator from people who stay (rules 13.11). Ask it of somebody who is one, under
 * the organization's lock.
 * @throws lastAdmin
 */
export async function assertAnotherAdmin(tx: Tx, place: Place): Promise<void> {
  const others = exactlyOne(
    await members.findOtherMembers.run({ ...place, adminRoleId: ORG_ADMIN.id }, tx.db),
  );
  if (others.isAnybodyLeft && !others.isAdminLeft) throw lastAdmin();
}
