import * as attempts from "#sql/attempts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import type { Tx } from "../context.ts";

/** Per user and window, over all instances. */
const MAX_ATTEMPTS = 10;
const WINDOW_MINUTES = 15;

/** The limit as the OpenAPI document describes it. */
export const CONFIRMATION_LIMIT_DESCRIPTION = `Limit: ten password or code checks per ${WINDOW_MINUTES} minutes for the whole profile, successful or not.`;

/**
 * What an attempt counts against. Sign-in counts wrong codes; the profile counts every password and code, correct or
 * wrong. The two are separate, or an attacker who knows the password could keep its owner from changing it.
 */
export type AttemptScope = { userId: string; place: "SIGN_IN" | "PROFILE" };

/**
 * Called under the user's lock before anything is checked, so that of parallel guesses no more than ten are checked.
 * @throws tooManyRequests
 */
export async function assertAttemptsLeft(db: Queryable, place: AttemptScope): Promise<void> {
  const [limit] = await attempts.findLimit.run(
    { ...place, max: MAX_ATTEMPTS, windowMinutes: WINDOW_MINUTES },
    db,
  );
  if (limit !== undefined) throw tooManyRequests(limit.secondsLeft);
}

/** Counts an attempt when the transaction commits, so an error must be thrown outside of it. Under the user's lock. */
export async function countAttempt(tx: Tx, place: AttemptScope): Promise<void> {
  await attempts.insertAttempt.run(place, tx.db);
}
