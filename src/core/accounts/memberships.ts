import * as members from "#sql/people/memberships";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { ORG_ADMIN, type Permission } from "../access/catalog.ts";
import { confinedTo } from "../access/proofs.ts";
import { unrestricted } from "../access/reach.ts";
import { ssoHoursOf } from "../authorize/recent-proof.ts";
import type { SignedInCall, Tx } from "../context.ts";
import type { RoleEntry } from "../effects/entries.ts";
import { lastAdmin } from "./errors.ts";
import { expireInvitationsOfMember } from "./pending-invitations.ts";

/** An assignment of a role: for the whole organization, or in a unit and all units below it. */
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

/** Returns roles that somebody gets, as audit events contain them. */
export const grantedRoles = (assignments: RoleEntry[]) => ({
  roles: [...new Set(assignments.map(({ roleName }) => roleName))],
  assignments: assignments.map(roleEntry),
});

/** Returns each role at each place once, although it may be given by hand and by connections. */
export const roleEntries = (assignments: RoleEntry[]): RoleEntry[] =>
  assignments
    .filter((one, index) => assignments.findIndex((other) => isSameAssignment(one, other)) === index)
    .map(roleEntry);

type MembershipKey = { organizationId: string; userId: string };

/**
 * Adds a member with roles.
 * - The caller must have checked under the organization's lock that the user is not a member, unless the
 *   organization is not visible to others yet.
 * - An ended membership is restored with only these roles. A role in a unit also links the member to the unit.
 * @param connectionId the connection whose groups give the roles; null if they are given by hand
 */
export async function addMember(
  tx: Tx,
  place: MembershipKey,
  grants: RoleGrant[],
  connectionId: string | null = null,
): Promise<void> {
  exactlyOne(await members.insertMembership.run({ ...place, ...rolesAndUnits(grants), connectionId }, tx.db));
}

/**
 * Assigns roles to a member, by hand or by the groups of a connection, and links the member to the units of the roles.
 */
export async function addRoles(
  tx: Tx,
  membershipId: string,
  grants: RoleGrant[],
  connectionId: string | null = null,
): Promise<void> {
  if (grants.length === 0) return;
  const { roleIds, unitIds } = rolesAndUnits(grants);
  await members.insertAssignments.run({ membershipId, roleIds, unitIds, connectionId }, tx.db);
  const linked = [...new Set(unitIds.filter((id) => id !== null))];
  if (linked.length > 0) await members.linkUnits.run({ membershipId, unitIds: linked }, tx.db);
}

/** Returns assignments as parallel arrays, in the form of query parameters. */
export const rolesAndUnits = (grants: RoleGrant[]) => ({
  roleIds: grants.map(({ roleId }) => roleId),
  // PostgreSQL cannot infer the type of an array of nulls; the statement casts it.
  unitIds: grants.map(({ unitId }) => unitId) as string[],
});

/**
 * Returns the user's membership with the organization's status; null if the membership has ended or the
 * organization is deleted.
 */
export async function findMembership(db: Queryable, place: MembershipKey) {
  const [membership] = await members.findMembership.run(place, db);
  return membership ?? null;
}

/** Stores the organization in which the user's later sign-ins begin (rules 6.1). */
export async function setLastOrganization(tx: Tx, userId: string, organizationId: string): Promise<void> {
  await members.setLastOrganization.run({ userId, organizationId }, tx.db);
}

/** Returns the organizations of the caller's live memberships, with what the session lacks to act in each. */
export const listOwnOrganizations = ({ app, db, actor }: SignedInCall) => {
  const { userId, sessionId } = actor;
  const session = { userId, sessionId, confinedTo: confinedTo(actor), ssoHours: ssoHoursOf(app.config) };
  return members.listOwnOrganizations.run(session, db);
};

/** Returns those of these organizations in which the user is the only live member. Call under their locks. */
export const listOrganizationsOfOnly = (db: Queryable, userId: string, organizationIds: string[]) =>
  members.listOrganizationsOfOnly.run({ userId, organizationIds }, db);

/**
 * Ends memberships of a user, with their roles, their unit links and the invitations that the member sent. Returns
 * them with the member's roles. Call it only from `src/features/departures`, under the organizations' locks.
 */
export async function endMemberships<Membership extends { id: string; organizationId: string }>(
  tx: Tx,
  userId: string,
  memberships: Membership[],
  endedAs: "left" | "removed",
): Promise<(Membership & { roles: RoleEntry[] })[]> {
  if (memberships.length === 0) return [];
  const ids = memberships.map(({ id }) => id);
  const units = unrestricted("a membership ends with all its roles");
  const had = await members.listAssignments.run({ memberships: ids, units }, tx.db);
  await members.deleteMemberships.run({ ids, endedAs }, tx.db);
  const organizationIds = memberships.map(({ organizationId }) => organizationId);
  await expireInvitationsOfMember(tx, { organizationIds, userId });
  const roles = Map.groupBy(had, ({ membershipId }) => membershipId);
  return memberships.map((one) => ({ ...one, roles: roleEntries(roles.get(one.id) ?? []) }));
}

/** Whether the account with this email is a live member. */
export async function isMemberByEmail(
  db: Queryable,
  organizationId: string,
  email: string,
): Promise<boolean> {
  return (await members.findLiveMemberByEmail.run({ organizationId, email }, db)).length > 0;
}

/** The maximum number of members who are notified of an event; the members with the oldest memberships are chosen. */
const MAX_HOLDERS = 100;

/**
 * Returns the oldest live members who hold a permission for the whole organization, with the data for a mail to
 * them.
 */
export const listHolders = (tx: Tx, organizationId: string, permission: Permission) =>
  members.listHoldersOf.run({ organizationId, permission, max: MAX_HOLDERS }, tx.db);

/** Ends every membership of a deleted organization. */
export async function endAllMemberships(tx: Tx, organizationId: string): Promise<void> {
  await members.deleteMembershipsOfOrganization.run({ organizationId }, tx.db);
}

/**
 * Whether one of these assignments is the administrator role for the whole organization, given by hand: what a group of
 * a connection gives may go with the group.
 */
export const isAdminAmong = (assignments: (RoleGrant & { source: string })[]): boolean =>
  assignments.some(
    ({ roleId, unitId, source }) => roleId === ORG_ADMIN.id && unitId === null && source === "manual",
  );

/**
 * Checks that no organization is left without an administrator while it has other members, if these memberships
 * end. Call under the organizations' locks.
 * @throws lastAdmin
 */
export async function assertNotLastAdmin(
  tx: Tx,
  userId: string,
  memberships: { id: string; organizationId: string }[],
): Promise<void> {
  const units = unrestricted("an administrator of the whole organization is looked for");
  const had = { memberships: memberships.map(({ id }) => id), units };
  const assignments = await members.listAssignments.run(had, tx.db);
  const administered = new Set(
    assignments.filter((one) => isAdminAmong([one])).map(({ membershipId }) => membershipId),
  );
  const places = memberships.filter(({ id }) => administered.has(id));
  if (places.length > 0)
    await assertAnotherAdmin(
      tx,
      userId,
      places.map(({ organizationId }) => organizationId),
    );
}

/**
 * Checks that an administrator of these organizations is not the last one while other members stay (rules 13.11).
 * Call it only for an administrator, under the organizations' locks.
 * @throws lastAdmin
 */
export async function assertAnotherAdmin(tx: Tx, userId: string, organizationIds: string[]): Promise<void> {
  const others = await members.findOtherMembers.run(
    { userId, organizationIds, adminRoleId: ORG_ADMIN.id },
    tx.db,
  );
  if (others.some(({ isAnybodyLeft, isAdminLeft }) => isAnybodyLeft && !isAdminLeft)) throw lastAdmin();
}
