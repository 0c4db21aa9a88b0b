import * as members from "#sql/people/memberships";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { ORG_ADMIN } from "../access/catalog.ts";
import type { Tx } from "../context.ts";
import type { RoleEntry } from "../effects/entries.ts";
import { lastAdmin } from "./errors.ts";
import { expireInvitationsOfMember } from "./pending-invitations.ts";

/** A role to assign: in the whole organization, or in a unit and everything below it. */
export type RoleGrant = { roleId: string; unitId: string | null };
export type Assignment = Awaited<ReturnType<typeof members.listAssignments.run>>[number];

export const isSameAssignment = (one: RoleGrant, other: RoleGrant): boolean =>
  one.roleId === other.roleId && one.unitId === other.unitId;

export const roleEntry = ({ roleId, roleName, unitId, unitName }: RoleEntry): RoleEntry => ({
  roleId,
  roleName,
  unitId,
  unitName,
});

type MembershipKey = { organizationId: string; userId: string };

/**
 * Adds a member. The caller has checked under the organization's lock that the user is none, unless nobody else can see the
 * organization yet. An ended membership is restored with only these roles. A role in a unit also links to the unit.
 * The statement is pipelined with the next ones.
 */
export async function addMember(tx: Tx, place: MembershipKey, grants: RoleGrant[]): Promise<void> {
  await members.insertMembership.run({ ...place, ...rolesAndUnits(grants) }, tx.db.unawaited);
}

/** Assigns roles to a member, and links the units that they name. */
export async function addRoles(tx: Tx, membershipId: string, grants: RoleGrant[]): Promise<void> {
  if (grants.length === 0) return;
  const { roleIds, unitIds } = rolesAndUnits(grants);
  await members.insertAssignments.run({ membershipId, roleIds, unitIds }, tx.db);
  const linked = [...new Set(unitIds.filter((id) => id !== null))];
  if (linked.length > 0) await members.linkUnits.run({ membershipId, unitIds: linked }, tx.db);
}

const rolesAndUnits = (grants: RoleGrant[]) => ({
  roleIds: grants.map(({ roleId }) => roleId),
  // An array of only nulls has no element type; the statement casts it.
  unitIds: grants.map(({ unitId }) => unitId) as string[],
});

/** The live membership in a live organization, with the organization's status, or null. */
export async function findMembership(db: Queryable, place: MembershipKey) {
  const [membership] = await members.findMembership.run(place, db);
  return membership ?? null;
}

/** Later sign-ins of the user begin in this organization (rules 6.1). */
export async function setLastOrganization(tx: Tx, userId: string, organizationId: string): Promise<void> {
  await members.setLastOrganization.run({ userId, organizationId }, tx.db);
}

/** The organizations of a user's live memberships. */
export const listOwnOrganizations = (db: Queryable, userId: string) =>
  members.listOwnOrganizations.run({ userId }, db);

/**
 * Ends a membership with its roles, its links and the invitations that it sent; returns the roles that it had. Under the
 * organization's lock.
 */
export async function endMembership(
  tx: Tx,
  membershipId: string,
  place: MembershipKey,
): Promise<RoleEntry[]> {
  const had = await members.listAssignments.run({ memberships: [membershipId], units: null }, tx.db);
  await members.deleteMembership.run({ id: membershipId }, tx.db);
  await expireInvitationsOfMember(tx, place);
  return had.map(roleEntry);
}

/** Whether the account with this email is a live member. */
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
export const isAdminAmong = (assignments: RoleGrant[]): boolean =>
  assignments.some(({ roleId, unitId }) => roleId === ORG_ADMIN.id && unitId === null);

/**
 * Refuses the removal of the only administrator while other members stay. Under the organization's lock.
 * @throws lastAdmin
 */
export async function assertNotLastAdmin(tx: Tx, membershipId: string, place: MembershipKey): Promise<void> {
  const had = { memberships: [membershipId], units: null };
  if (isAdminAmong(await members.listAssignments.run(had, tx.db))) await assertAnotherAdmin(tx, place);
}

/**
 * Refuses to remove the last administrator while other members stay (rules 13.11). Call it for an administrator, under
 * the organization's lock.
 * @throws lastAdmin
 */
export async function assertAnotherAdmin(tx: Tx, place: MembershipKey): Promise<void> {
  const others = exactlyOne(
    await members.findOtherMembers.run({ ...place, adminRoleId: ORG_ADMIN.id }, tx.db),
  );
  if (others.isAnybodyLeft && !others.isAdminLeft) throw lastAdmin();
}
