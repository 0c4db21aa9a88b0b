import * as queries from "#sql/sign-in-failures";
import { tokenHash as digest } from "../../platform/crypto.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import type { Call, Tx } from "../context.ts";
import { LIMITS } from "../definitions/limits.ts";

const { failedSignIns, failedSignInsFromAddress } = LIMITS;
/** The window of both limits, which begins with the first failure. */
const seconds = failedSignIns.perSeconds;

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
  const [found] = await queries.findFailures.run({ emailDigest, address, seconds }, call.db);
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
  const failure = { emailDigest: digest(email), address: addressOf(call), seconds };
  await queries.countFailure.run(failure, call.db.writes);
}

/** Resets the counts of failed sign-ins after a password reset, and stores the IP address of the reset as known. */
export async function forgetFailures(tx: Tx, email: string): Promise<void> {
  const address = tx.ip === null ? null : addressOf(tx);
  await queries.forgetFailures.run({ emailDigest: digest(email), address }, tx.db);
}

/** Returns the IP address under which failures are counted; for IPv6 its /64 prefix. */
const addressOf = ({ ip }: Pick<Call, "ip">): string => throttleKey(ip ?? "");
