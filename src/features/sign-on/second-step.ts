import type { Call, Tx } from "#kit";
import type { SecondFactor } from "../../core/access/proofs.ts";
import type { Session } from "../sessions/start.ts";
import { findConnection } from "./connection.ts";
import { recordRefusal } from "./failures.ts";
import { isRefused, type Refused } from "./outcome.ts";
import { answerCipher } from "./secrets.ts";
import { type Arrival, decide, lockForArrival, type Waiting } from "./sign-in.ts";

/** A sign-in by a connection that waited for the second factor, and is refused now. */
export type RefusedArrival = Refused & { arrival: Arrival };

/**
 * Takes the locks for completing a sign-in by a connection that waits for its second factor. Returns null if the
 * connection is gone, or leads to another account by now.
 */
export async function lockForSecondStep(
  tx: Tx,
  waiting: { userId: string; connectionId: string; sso: string | null },
  cookie: string | null,
): Promise<Arrival | null> {
  // Single sign-on may be off by now, without the key of what the provider said.
  const connection = tx.app.config.sso ? await findConnection(tx.db, waiting.connectionId) : null;
  if (connection === null || waiting.sso === null) return null;
  const { answer, version } = answerCipher(tx.app).decrypt(waiting.sso) as Waiting;
  // With the version of then: if it has changed since, the sign-in is refused.
  const arrival = { connection: { ...connection, testedVersion: version }, answer, cookie };
  return (await lockForArrival(tx, arrival)) === waiting.userId ? arrival : null;
}

/** Decides again about a sign-in whose second factor was shown, and completes it. Call under the locks of `lockForSecondStep`. */
export async function completeArrival(
  tx: Tx,
  arrival: Arrival,
  shown: { userId: string; second: SecondFactor },
): Promise<Session | RefusedArrival> {
  const outcome = await decide(tx, arrival, shown);
  if ("challengeToken" in outcome) throw new Error("A second factor that was shown is asked for again");
  return isRefused(outcome) ? { ...outcome, arrival } : outcome;
}

/** Records for the organization that a sign-in was refused after its second factor. */
export const recordRefusedArrival = (call: Call, { arrival, ...refused }: RefusedArrival): Promise<void> =>
  recordRefusal(call, arrival.connection, arrival.answer, refused);
