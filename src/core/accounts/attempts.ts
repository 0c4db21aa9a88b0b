import * as attempts from "#sql/attempts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import type { Tx } from "../context.ts";

/** The maximum number of attempts at a password or code per user and time window, counted over all instances. */
const MAX_ATTEMPTS = 10;
const WINDOW_MINUTES = 15;
/**
 * Wrong codes at sign-in: the wait grows from 15 minutes to two hours and then to a day. A limit of ten in 15 minutes
 * alone would allow an attacker who knows the password 960 guesses a day, without end.
 */
const LIMITS = {
  SIGN_IN: { maxima: [MAX_ATTEMPTS, 20, 40], minutes: [WINDOW_MINUTES, 120, 1_440] },
  PROFILE: { maxima: [MAX_ATTEMPTS], minutes: [WINDOW_MINUTES] },
};

/** The limit of attempts, as the OpenAPI document describes it. */
export const CONFIRMATION_LIMIT_DESCRIPTION = `Limit: ten password or code checks per ${WINDOW_MINUTES} minutes for the whole profile, successful or not.`;

/**
 * What an attempt counts against. Sign-in counts wrong codes; the profile counts every password and code, correct or
 * wrong. They are counted separately, so that an attacker who knows the password cannot keep its owner from changing
 * it.
 */
export type AttemptScope = { userId: string; place: "SIGN_IN" | "PROFILE" };

/**
 * Checks the limits. Call under the user's lock before any credential is checked, so that parallel guesses do not
 * exceed the limits.
 * @throws tooManyRequests
 */
export async function assertAttemptsLeft(db: Queryable, place: AttemptScope): Promise<void> {
  const [limit] = await attempts.findLimit.run({ ...place, ...LIMITS[place.place] }, db);
  if (limit !== undefined) throw tooManyRequests(limit.secondsLeft);
}

/**
 * Counts an attempt when the transaction commits, so an error about the attempt must be thrown outside of it. Call
 * under the user's lock. Returns the attempts of the last 24 hours.
 */
export async function countAttempt(tx: Tx, place: AttemptScope): Promise<number> {
  return exactlyOne(await attempts.insertAttempt.run(place, tx.db)).attempts;
}

/**
 * Forgets wrong codes at sign-in after a change of the password: whoever entered them no longer knows the password.
 * Only the limit of 15 minutes keeps counting. Call under the user's lock.
 */
export async function forgetEarlierWrongCodes(tx: Tx, userId: string): Promise<void> {
  await attempts.deleteAttemptsBefore.run(
    { userId, place: "SIGN_IN", minutes: WINDOW_MINUTES },
    tx.db.pipelined,
  );
}
