import type { Tx } from "#kit";
import * as queries from "#sql/sso-sign-in";

/**
 * Ends what a person has by the connections of organizations: identities, and proofs of sessions. Call under the locks of
 * the organizations and of the user.
 */
export async function endIdentitiesIn(
  tx: Tx,
  { organizationIds, userId }: { organizationIds: string[]; userId: string },
): Promise<void> {
  await queries.deleteIdentitiesOf.run({ userId, organizationIds }, tx.db);
}

/** Ends what a person has by the connections of all organizations. Call under the user's lock. */
export async function endAllIdentities(tx: Tx, userId: string): Promise<void> {
  await queries.deleteIdentitiesOf.run({ userId, organizationIds: null }, tx.db);
}
