import * as queries from "#sql/people/two-factor";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import type { Tx } from "../context.ts";

/*
 * A challenge is a sign-in that waits for its second factor: a random token, stored as a digest, that lives for five
 * minutes and is gone once it was used. Under the user's lock.
 */

/** Makes a challenge; answers its token. */
export async function issueChallenge(tx: Tx, userId: string): Promise<string> {
  const token = newToken();
  await queries.insertChallenge.run({ userId, tokenHash: tokenHash(token) }, tx.db);
  return token;
}

/** Ends whatever waits for a second factor. */
export async function endChallenges(tx: Tx, userId: string): Promise<void> {
  await queries.deleteChallenges.run({ userId }, tx.db);
}
