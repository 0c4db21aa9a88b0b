import * as attempts from "#sql/attempts";
import * as queries from "#sql/sign-in-failures";
import { tokenHash as digest } from "../../platform/crypto.ts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import { windowsOf } from "../../platform/limits/rate.ts";
import type { Call, Tx } from "../context.ts";
import { LIMITS, MINUTE } from "../definitions/limits.ts";

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

const { failedSignIns, failedSignInsFromAddress } = LIMITS;
/** The window of both limits of failed sign-ins, which begins with the first failure. */
const FAILURE_SECONDS = failedSignIns.perSeconds;

/**
 * The refusal of a sign-in after too many failures. `isFirst` marks the first refusal of the hour, which is
 * audited.
 */
export type Refusal = { secondsLeft: number; isFirst: boolean };

/**
 * Decides whether a password may be checked. Returns null if so, otherwise the refusal.
 * - Rejects an IP address with too many failures for this email.
 * - After too many failures from all addresses together, rejects every address except those from which a session of
 *   the account was used or its password was reset. So an attacker with many addresses cannot continue, and the
 *   owner is not locked out.
 * - Concurrent checks may exceed the limit by the number that may wait (rules 23.4).
 */
export async function findRefusal(call: Call, email: string): Promise<Refusal | null> {
  const emailDigest = digest(email);
  const address = addressOf(call);
  const [found] = await queries.findFailures.run({ emailDigest, address, seconds: FAILURE_SECONDS }, call.db);
  if (found === undefined || !(await isRefused(call, email, found))) return null;
  call.app.meter.count("sign_ins_total", { outcome: "too_many_failures" });
  const recorded = found.isRefusalRecorded
    ? []
    : await queries.recordRefusal.run({ emailDigest }, call.db.writes);
  return { secondsLeft: found.secondsLeft, isFirst: recorded.length > 0 };
}

type Failures = { failures: number; failuresOfAddress: number; knownAddress: string | null };

async function isRefused(call: Call, email: string, found: Failures): Promise<boolean> {
  if (found.failuresOfAddress >= failedSignInsFromAddress.points) return true;
  if (found.failures < failedSignIns.points) return false;
  const sessions = await queries.listSessionAddresses.run({ email }, call.db);
  const known = [found.knownAddress, ...sessions.map((session) => throttleKey(session.ip))];
  return !known.includes(addressOf(call));
}

/** Counts a failed sign-in for the email and the IP address. */
export async function countFailure(call: Call, email: string): Promise<void> {
  const failure = { emailDigest: digest(email), address: addressOf(call), seconds: FAILURE_SECONDS };
  await queries.countFailure.run(failure, call.db.writes);
}

/** Resets the counts of failed sign-ins after a password reset, and stores the IP address of the reset as known. */
export async function forgetFailures(tx: Tx, email: string): Promise<void> {
  const address = tx.ip === null ? null : addressOf(tx);
  await queries.forgetFailures.run({ emailDigest: digest(email), address }, tx.db);
}

/** Returns the IP address under which failures are counted; for IPv6 its /64 prefix. */
const addressOf = ({ ip }: Pick<Call, "ip">): string => throttleKey(ip ?? "");
