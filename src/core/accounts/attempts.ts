import * as attempts from "#sql/attempts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import type { Tx } from "../context.ts";

/** The maximum number of attempts at a password or code per user and time window, counted over all instances. */
const MAX_ATTEMPTS = 10;
const WINDOW_MINUTES = 15;
/**
 * The limits of wrong codes at sign-in: the wait grows from 15 minutes to two hours and then to a day. A limit of
 * only ten in 15 minutes would allow an attacker who knows the password 960 guesses a day, without end.
 */
const LIMITS = {
  SIGN_IN: { maxima: [MAX_ATTEMPTS, 20, 40], minutes: [WINDOW_MINUTES, 120, 1_440] },
  PROFILE: { maxima: [MAX_ATTEMPTS], minutes: [WINDOW_MINUTES] },
};

/** The limit of attempts, as the OpenAPI document describes it. */
export const CONFIRMATION_LIMIT_DESCRIPTION = `Limit: ten password or code checks per ${WINDOW_MINUTES} minutes for the whole profile, successful or not.`;

/**
 * The counter of an attempt. Wrong codes at sign-in and all passwords and codes in the profile are counted
 * separately, so that an attacker who knows the password cannot prevent its owner from changing it.
 */
export type AttemptScope = { userId: string; place: keyof typeof LIMITS };

/**
 * Checks the limits of attempts. Call under the user's lock before any credential is checked, so that parallel
 * guesses do not exceed the limits.
 * @throws tooManyRequests
 */
export async function assertAttemptsLeft(db: Queryable, place: AttemptScope): Promise<void> {
  const [limit] = await attempts.findLimit.run({ ...place, ...LIMITS[place.place] }, db);
  if (limit !== undefined) throw tooManyRequests(limit.secondsLeft);
}

/**
 * Counts an attempt. The count takes effect when the transaction commits, so throw an error about the attempt
 * outside of it. Call under the user's lock. Returns the number of attempts in the last 24 hours.
 */
export async function countAttempt(
  tx: Tx,
  place: { userId: string; place: AttemptScope["place"] | "EMAIL_CHANGE" },
): Promise<number> {
  return exactlyOne(await attempts.insertAttempt.run(place, tx.db)).attempts;
}

/**
 * Resets the long limits of wrong codes at sign-in after a change of the password: an attacker who entered codes no
 * longer knows the password. Only the limit of 15 minutes keeps counting. Call under the user's lock.
 */
export async function forgetEarlierWrongCodes(tx: Tx, userId: string): Promise<void> {
  await attempts.deleteAttemptsBefore.run({ userId, place: "SIGN_IN", minutes: WINDOW_MINUTES }, tx.db);
}
