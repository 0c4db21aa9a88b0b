import * as attempts from "#sql/attempts";
import type { Queryable } from "../db/prepared-query.ts";
import type { Tx } from "../db/transaction.ts";
import { tooManyRequests } from "../http/errors.ts";

/** Of a user in 15 minutes, over all instances. */
const MOST_FAILURES = 10;

/**
 * Whose wrong passwords and codes, and where they were given: those of signing in and those of the profile are
 * counted apart, or whoever knows a password could keep its owner from changing it.
 */
export type Place = { userId: string; place: "SIGN_IN" | "PROFILE" };

/**
 * Asked under the user's lock before anything is checked, so that of parallel guesses no more than ten are answered.
 * @throws tooManyRequests
 */
export async function refuseBeyondLimit(db: Queryable, place: Place): Promise<void> {
  const [limit] = await attempts.findLimit.run({ ...place, most: MOST_FAILURES }, db);
  if (limit !== undefined) throw tooManyRequests(limit.secondsLeft);
}

/** Counts a wrong password or code. The refusal must be thrown outside of the transaction, or nothing is counted. */
export async function countFailure(tx: Tx, place: Place): Promise<void> {
  await attempts.insertFailedAttempt.run(place, tx.db);
}
