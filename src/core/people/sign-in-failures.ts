import * as queries from "#sql/sign-in-failures";
import { tokenHash as digest } from "../../platform/crypto.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import type { Call, Tx } from "../context.ts";

/**
 * Per email and hour, over all instances. NIST SP 800-63B allows 100 in a row and then asks for more than a wait; here the count
 * begins again, so that nobody needs an administrator: 2,400 guesses a day at most. One address has a fifth of them, so
 * that a single client cannot use them up.
 */
const MAX_FAILURES = { ofEmail: 100, ofAddress: 20 };

/** `isFirst`: it is the first one in this hour, which is audited. */
export type Refusal = { secondsLeft: number; isFirst: boolean };

/**
 * Before a password is checked: refuses further guesses at an email from this address, or, after many from all addresses,
 * from those that its owner is not known by. An attacker with many addresses cannot guess on, and does not lock the
 * owner out, who comes from where a session of the account is or was, or resets the password. Returns null if the
 * password may be checked. Guesses that are being checked meanwhile may exceed the limit, by as many as may wait
 * (rules 23.4).
 */
export async function findRefusal(call: Call, email: string): Promise<Refusal | null> {
  const emailDigest = digest(email);
  const address = addressOf(call);
  const [found] = await queries.findFailures.run({ emailDigest, address }, call.app.db);
  if (found === undefined || !(await isRefused(call, email, found))) return null;
  call.app.meter.count("sign_ins_total", { outcome: "too_many_failures" });
  const recorded = found.isRefusalRecorded
    ? []
    : await queries.recordRefusal.run({ emailDigest }, call.app.db.writes);
  return { secondsLeft: found.secondsLeft, isFirst: recorded.length > 0 };
}

type Failures = { failures: number; failuresOfAddress: number; knownAddress: string | null };

async function isRefused(call: Call, email: string, found: Failures): Promise<boolean> {
  if (found.failuresOfAddress >= MAX_FAILURES.ofAddress) return true;
  if (found.failures < MAX_FAILURES.ofEmail) return false;
  const sessions = await queries.listSessionAddresses.run({ email }, call.app.db);
  const known = [found.knownAddress, ...sessions.map((session) => throttleKey(session.ip))];
  return !known.includes(addressOf(call));
}

/** Counts a failed sign-in. */
export async function countFailure(call: Call, email: string): Promise<void> {
  const failure = { emailDigest: digest(email), address: addressOf(call) };
  await queries.countFailure.run(failure, call.app.db.writes);
}

/** After a password reset: the counts start again, and the address of the reset is known. */
export async function forgetFailures(tx: Tx, email: string): Promise<void> {
  const address = tx.ip === null ? null : addressOf(tx);
  await queries.forgetFailures.run({ emailDigest: digest(email), address }, tx.db);
}

/** An IPv6 address counts by its /64. */
const addressOf = ({ ip }: Call): string => throttleKey(ip ?? "");
