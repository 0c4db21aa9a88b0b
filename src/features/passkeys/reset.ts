import { audit, endOf, type SignedInCall, type Tx } from "#kit";
import * as queries from "#sql/passkeys";
import * as people from "#sql/people/passkeys";
import { listSecondFactors } from "../../core/accounts/passkey-options.ts";
import { turnOffTwoFactor } from "../../core/accounts/second-factor.ts";
import { tellOfPasskey } from "./effects.ts";

type Owner = { id: string; email: string; language: "EL" | "EN"; hasTwoFactor: boolean };

/** Removes the passkeys that were added after a time, and tells their owner. Call under the user's lock. */
export async function removePasskeysSince(tx: Tx, owner: Owner, since: string): Promise<void> {
  const removed = await people.deletePasskeysOfUser.run({ userId: owner.id, since }, tx.db);
  if (removed.length === 0) return;
  await tellOfPasskey(tx, "REMOVED", owner, removed);
  await endOf("secondFactor", tx, owner.id);
}

/**
 * Removes all passkeys of a user who has lost them, and ends the sessions that were proven by a passkey. If the
 * second factor has neither a passkey nor an app afterwards, it is turned off. Call under the user's lock.
 */
export async function resetPasskeys(tx: Tx<SignedInCall>, owner: Owner): Promise<void> {
  const { id: userId } = owner;
  const removed = await people.deletePasskeysOfUser.run({ userId, since: "-infinity" }, tx.db);
  if (removed.length === 0) return;
  const ended = await queries.deleteSessionsByPasskey.run({ userId }, tx.db);
  for (const id of new Set(ended.filter(({ isLive }) => isLive).map(({ sessionId }) => sessionId)))
    await audit(tx, "SESSION_REVOKED", { target: { type: "session", id }, metadata: { userId } });
  await tellOfPasskey(tx, "REMOVED", owner, removed);
  const left = await listSecondFactors(tx, userId);
  if (owner.hasTwoFactor && !left.includes("code")) await turnOffTwoFactor(tx, userId, "admin");
  else await endOf("secondFactor", tx, userId);
}
