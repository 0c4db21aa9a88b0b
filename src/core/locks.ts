import * as locks from "#sql/locks";
import type { Tx } from "./context.ts";

/**
 * The locks of the service, held until the transaction ends. Several locks are taken in this order: platform,
 * organization, email, user; several of one kind sorted by id. They serialize changes; every change
 * under a lock is also conditional, so that a missing lock cannot corrupt data.
 *
 * The end of an organization takes no locks of users: it deletes refresh tokens, and a trigger then deletes the
 * proofs of their sessions. So every other transaction locks tokens before proofs, too (`recordProof` in
 * sql/access.sql).
 *
 * A lock that returns nothing is sent with the next statement. Statements after a lock see everything that was
 * committed before the lock was granted, because at READ COMMITTED each statement takes its own snapshot when it starts. A
 * statement that takes a lock itself keeps its snapshot from before the lock: see `rotateRefreshToken` in sql/sessions.sql.
 */

/** Takes the platform's lock. The set of platform administrators is changed only under this lock. */
export async function lockPlatform(tx: Tx): Promise<void> {
  await locks.lockPlatform.run(undefined, tx.effects);
}

/**
 * Takes an organization's lock. Permissions, units, members and the plan of an organization are changed only under
 * its lock.
 */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await locks.lockOrganization.run({ organizationId }, tx.effects);
}

/**
 * Takes an organization's lock in shared mode: what was read under it stays until the commit, and others with the
 * shared lock do not wait. Do not take `lockOrganization` after it: two transactions that both do would wait for each other.
 */
export async function lockOrganizationShared(tx: Tx, organizationId: string): Promise<void> {
  await locks.lockOrganizationShared.run({ organizationId }, tx.effects);
}

/** Takes the locks of several organizations, in one statement. */
export async function lockOrganizations(tx: Tx, organizationIds: string[]): Promise<void> {
  if (organizationIds.length > 0) await locks.lockOrganizations.run({ organizationIds }, tx.effects);
}

/**
 * Locks the organization of the invitation with this token. Takes no lock if there is no such invitation; it cannot
 * appear meanwhile, because nobody knows a token before it is committed.
 */
export async function lockOrganizationOfInvitation(tx: Tx, tokenHash: string): Promise<void> {
  await locks.lockOrganizationOfInvitation.run({ tokenHash }, tx.effects);
}

/** Locks the organization of the API key with this digest. Returns false, without a lock, if there is no such key. */
export async function lockOrganizationOfKey(tx: Tx, tokenHash: string): Promise<boolean> {
  return (await locks.lockOrganizationOfKey.run({ tokenHash }, tx.db)).length > 0;
}

/**
 * Takes the locks for accepting an invitation with an account: the organization's lock in shared mode, because
 * acceptances do not depend on each other, and then the user's lock. Without an invitation it takes none, like
 * `lockOrganizationOfInvitation`.
 */
export async function lockForAcceptance(tx: Tx, tokenHash: string, userId: string): Promise<void> {
  await locks.lockForAcceptance.run({ tokenHash, userId }, tx.effects);
}

/** Takes an email address's lock. Invitations to the address, from all organizations, are counted under this lock. */
export async function lockEmail(tx: Tx, email: string): Promise<void> {
  await locks.lockEmail.run({ email }, tx.effects);
}

/** Takes the locks of several email addresses, in alphabetical order. */
export async function lockEmails(tx: Tx, emails: string[]): Promise<void> {
  for (const email of [...new Set(emails)].sort()) await lockEmail(tx, email);
}

/**
 * Takes the lock under which a user's confirmation attempts are counted. The transaction takes no other lock, so that
 * a confirmation does not queue twice for the user's lock.
 */
export async function lockAttempts(tx: Tx, userId: string): Promise<void> {
  await locks.lockAttempts.run({ userId }, tx.effects);
}

/** Takes the locks of these users. Users' sessions, mail links and credentials are changed only under these locks. */
export async function lockUsers(tx: Tx, userIds: string[]): Promise<void> {
  for (const userId of [...new Set(userIds)].sort()) await locks.lockUser.run({ userId }, tx.effects);
}
