import * as queries from "#sql/people/two-factor";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import type { Tx } from "../context.ts";

/*
 * Challenges. A challenge is a sign-in whose second factor is missing. It is a random token, stored as a digest,
 * valid for five minutes and deleted after use. All writes are under the user's lock.
 */

/** What a sign-in was proven with before its second factor. */
export type FirstFactor = {
  firstFactor: "password" | "provider" | "sso";
  /** The key of the sign-in provider. */
  provider?: string | null;
  /** The connection of a sign-in by one, and what its provider said, encrypted. */
  sso?: { connectionId: string; sealed: string } | null;
};

/** Creates a challenge for a sign-in whose first factor was verified; returns its token. */
export async function issueChallenge(
  tx: Tx,
  userId: string,
  { firstFactor, provider = null, sso = null }: FirstFactor,
): Promise<string> {
  const token = newToken();
  const { connectionId = null, sealed = null } = sso ?? {};
  await queries.insertChallenge.run(
    { userId, tokenHash: tokenHash(token), firstFactor, provider, connectionId, sso: sealed },
    tx.db,
  );
  return token;
}

/** Deletes the pending challenges of a user. */
export async function endChallenges(tx: Tx, userId: string): Promise<void> {
  await queries.deleteChallenges.run({ userId }, tx.db);
}
