import * as attempts from "#sql/attempts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import type { Tx } from "../context.ts";

/** Of a user in 15 minutes, over all instances. */
const MAX_ATTEMPTS = 10;

/**
 * Whose attempts, and where: wrong codes at signing in, and in the profile every password and code, right or wrong. The two
 * are counted apart, or whoever knows a password could keep its owner from changing it.
 */
export type Place = { userId: string; place: "SIGN_IN" | "PROFILE" };

/**
 * Asked under a lock of the user before anything is checked, so that of parallel guesses no more than ten are answered.
 * @throws tooManyRequests
 */
export async function assertAttemptsLeft(db: Queryable, place: Place): Promise<void> {
  const [limit] = await attempts.findLimit.run({ ...place, max: MAX_ATTEMPTS }, db);
  if (limit !== undefined) throw tooManyRequests(limit.secondsLeft);
}

/** Counts an attempt, if the transaction commits: a refusal must be thrown outside of it. Under a lock. */
export async function countAttempt(tx: Tx, place: Place): Promise<void> {
  await attempts.insertAttempt.run(place, tx.db);
}
