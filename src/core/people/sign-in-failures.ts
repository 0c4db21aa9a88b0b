import * as queries from "#sql/sign-in-failures";
import { tokenHash as digest } from "../../platform/crypto.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import type { Call, Tx } from "../context.ts";

/**
 * Per email and hour, over all instances. NIST SP 800-63B allows 100 in a row and then asks for more than a wait; here the count
 * begins again, so that nobody needs an administrator: 2,400 guesses a day at most.
 */
const MAX_FAILURES = 100;

/**
 * Before a password is checked: refuses further guesses at an email from addresses that its owner is not known by. An
 * attacker with many addresses cannot guess on, and does not lock the owner out, who comes from where a session of the
 * account is or was, or resets the password. Guesses that are being checked meanwhile may exceed the limit, by as many as
 * may wait (rules 23.4).
 * @throws tooManyRequests, also for an email without account
 */
export async function assertFailuresLeft({ app, ip }: Call, email: string): Promise<void> {
  const [found] = await queries.findFailures.run({ emailDigest: digest(email) }, app.db);
  if (found === undefined || found.failures < MAX_FAILURES) return;
  const sessions = await queries.listSessionAddresses.run({ email }, app.db);
  const known = [found.knownAddress, ...sessions.map((session) => throttleKey(session.ip))];
  if (ip !== null && known.includes(throttleKey(ip))) return;
  app.meter.count("sign_ins_total", { outcome: "too_many_failures" });
  throw tooManyRequests(found.secondsLeft);
}

/** Counts a failed sign-in, whatever address it came from. */
export async function countFailure({ app }: Call, email: string): Promise<void> {
  await queries.countFailure.run({ emailDigest: digest(email) }, app.db.writes);
}

/** After a password reset: the count starts again, and the address of the reset is known. */
export async function forgetFailures(tx: Tx, email: string): Promise<void> {
  const address = tx.ip === null ? null : throttleKey(tx.ip);
  await queries.forgetFailures.run({ emailDigest: digest(email), address }, tx.db);
}
