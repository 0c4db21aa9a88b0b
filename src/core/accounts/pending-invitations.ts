import * as invitations from "#sql/people/invitations";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import type { Tx } from "../context.ts";

/** Counts the seats of an organization: live members, and invitations that can be accepted. */
export async function countSeats(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await invitations.countSeats.run({ organizationId }, db)).count;
}

/** Whether an invitation that can be accepted has an assignment in the unit. */
export async function isUnitInvitedTo(db: Queryable, unitId: string): Promise<boolean> {
  return exactlyOne(await invitations.isUnitInvitedTo.run({ unitId }, db)).isInvitedTo;
}

/** Whether an invitation of the organization that can be accepted assigns the role. */
export async function isRoleInvitedTo(
  db: Queryable,
  role: { organizationId: string; roleId: string },
): Promise<boolean> {
  return exactlyOne(await invitations.isRoleInvitedTo.run(role, db)).isInvitedTo;
}

/** Expires the invitations that a member sent in organizations, when the memberships end. */
export async function expireInvitationsOfMember(
  tx: Tx,
  member: { organizationIds: string[]; userId: string },
): Promise<void> {
  await invitations.expireInvitationsOfMember.run(member, tx.db);
}

/** Expires the invitations that a user sent as a platform administrator, when the user stops being one. */
export async function expireInvitationsOfPlatformAdmin(tx: Tx, userId: string): Promise<void> {
  await invitations.expireInvitationsOfPlatformAdmin.run({ userId }, tx.db);
}

/**
 * Frees the seats of the invitations that service accounts sent, when they are disabled. Call under the organization's
 * lock.
 */
export async function freeSeatsOfAccounts(
  tx: Tx,
  organizationId: string,
  accountIds: string[],
): Promise<void> {
  await invitations.freeSeatsOfAccounts.run({ organizationId, accountIds }, tx.db);
}

/** Takes the seats again that were freed when a service account was disabled. Call under the organization's lock. */
export async function takeSeatsOfAccount(tx: Tx, organizationId: string, accountId: string): Promise<void> {
  await invitations.takeSeatsOfAccount.run({ organizationId, accountId }, tx.db);
}

/** Revokes the pending invitations of an organization that is deleted. */
export async function deleteInvitationsOf(tx: Tx, organizationId: string): Promise<void> {
  await invitations.deleteInvitationsOfOrganization.run({ organizationId }, tx.db);
}
