import * as locks from "#sql/locks";
import type { Tx } from "./context.ts";

/**
 * The locks of the service, held until the transaction ends. Several locks are taken in this order:
 * platform, organization, email, user; several of a kind in the order of their ids. They serialize
 * changes; every change under a lock is also conditional, so that a missing lock cannot corrupt data.
 *
 * The user's lock is not awaited: it is pipelined with the statements after it. These see what was committed before the
 * lock was granted, because at READ COMMITTED each statement takes its own snapshot when it starts. A statement that takes a
 * lock itself keeps its snapshot from before: see `rotateRefreshToken` in sql/sessions.sql.
 */

/** Who is a platform administrator changes under this lock. */
export async function lockPlatform(tx: Tx): Promise<void> {
  await locks.lockPlatform.run(undefined, tx.db);
}

/** Authority, tree, seats and plan of an organization change under its lock. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await locks.lockOrganization.run({ organizationId }, tx.db);
}

/** The same of several organizations, in one statement. */
export async function lockOrganizations(tx: Tx, organizationIds: string[]): Promise<void> {
  if (organizationIds.length > 0) await locks.lockOrganizations.run({ organizationIds }, tx.db);
}

/** The same of the organization that an invitation is into; false, and no lock, where the token is none's. */
export async function lockOrganizationOfInvitation(tx: Tx, tokenHash: string): Promise<boolean> {
  return (await locks.lockOrganizationOfInvitation.run({ tokenHash }, tx.db)).length > 0;
}

/**
 * The locks for accepting an invitation with an account: its organization's, shared, because acceptances do not depend on
 * each other, and then the user's. False, and no lock, if the token belongs to no invitation.
 */
export async function lockForAcceptance(tx: Tx, tokenHash: string, userId: string): Promise<boolean> {
  return (await locks.lockForAcceptance.run({ tokenHash, userId }, tx.db)).length > 0;
}

/** Invitations to an email address, from whichever organization, are counted under its lock. */
export async function lockEmail(tx: Tx, email: string): Promise<void> {
  await locks.lockEmail.run({ email }, tx.db);
}

/**
 * The attempts of a user to confirm something are counted under this lock, in a transaction that takes no other: a
 * confirmation must not queue for the user's lock twice.
 */
export async function lockAttempts(tx: Tx, userId: string): Promise<void> {
  await locks.lockAttempts.run({ userId }, tx.db);
}

/** Sessions, links and credentials of these users change under their locks. */
export async function lockUsers(tx: Tx, userIds: string[]): Promise<void> {
  for (const userId of [...new Set(userIds)].sort()) await locks.lockUser.run({ userId }, tx.db.unawaited);
}
