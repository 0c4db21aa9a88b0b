import * as attempts from "#sql/attempts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { windowsOf } from "../../platform/limits/rate.ts";
import { MINUTE } from "../../platform/limits/rows.ts";
import type { Tx } from "../context.ts";
import { LIMITS } from "../definitions/limits.ts";

const { wrongCodes, wrongCodesInTwoHours, wrongCodesInADay, confirmations } = LIMITS;
const WINDOWS = {
  SIGN_IN: windowsOf([wrongCodes, wrongCodesInTwoHours, wrongCodesInADay]),
  PROFILE: windowsOf([confirmations]),
};

/** The limit of attempts, as the OpenAPI document describes it. */
export const CONFIRMATION_LIMIT_DESCRIPTION = `Limit: ten password or code checks per ${confirmations.perSeconds / MINUTE} minutes for the whole profile, successful or not.`;

/**
 * The counter of an attempt. Wrong codes at sign-in and all passwords and codes in the profile are counted
 * separately, so that an attacker who knows the password cannot prevent its owner from changing it.
 */
export type AttemptScope = { userId: string; place: keyof typeof WINDOWS };

/**
 * Checks the limits of attempts. Call under the user's lock before any credential is checked, so that parallel
 * guesses do not exceed the limits.
 * @throws tooManyRequests
 */
export async function assertAttemptsLeft(db: Queryable, place: AttemptScope): Promise<void> {
  const [limit] = await attempts.findLimit.run({ ...place, ...WINDOWS[place.place] }, db);
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
  const wanted = { userId, place: "SIGN_IN" as const, seconds: wrongCodes.perSeconds };
  await attempts.deleteAttemptsBefore.run(wanted, tx.db);
}
