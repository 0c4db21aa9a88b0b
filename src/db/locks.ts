import * as locks from "#sql/locks";
import type { Tx } from "./transaction.ts";

/**
 * The locks of the service, held until the transaction ends. Whoever needs several takes them in this order:
 * organization, invitation, user; several users in the order of their ids. They only make waiting orderly:
 * every change that they guard is also conditional, so that a forgotten lock loses a race instead of data.
 */

/** Sessions, links and credentials of these users change under their locks. */
export async function lockUsers(tx: Tx, userIds: string[]): Promise<void> {
  for (const userId of [...new Set(userIds)].sort()) await locks.lockUser.run({ userId }, tx.db);
}
