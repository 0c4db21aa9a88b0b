import { audit, mail, notify, type SignedInCall, type Tx } from "#kit";
import { toAccount } from "#kit/inside";
import * as queries from "#sql/two-factor";
import { isTwoFactorRequired } from "../../core/access/proofs.ts";
import { endOtherSessions } from "../../core/accounts/end-sessions.ts";
import type { Account } from "../../core/accounts/reauthenticate.ts";
import { replaceRecoveryCodes } from "./codes.ts";

/**
 * Turns the caller's second factor on, and returns the recovery codes. If the service requires the factor, ends the
 * caller's other sessions. Call under the user's lock, and discard an unconfirmed secret first, which would also
 * take effect.
 */
export async function turnOnTwoFactor(tx: Tx<SignedInCall>, account: Account): Promise<string[]> {
  const { id: userId } = account;
  await queries.markEnabled.run({ userId }, tx.db);
  const recoveryCodes = await replaceRecoveryCodes(tx, userId);
  const metadata = { via: "self" } as const;
  await audit(tx, "TWO_FACTOR_ENABLED", { target: { type: "user", id: userId }, metadata });
  await notify(tx, userId, "TWO_FACTOR_ENABLED", metadata);
  await mail(tx, { kind: "twoFactorEnabled", ...toAccount(account), data: {} });
  if (isTwoFactorRequired(tx.app.config, account)) await endOthersWithoutCode(tx);
  return recoveryCodes;
}

/**
 * Ends the caller's other sessions, which may have begun with the password alone. Otherwise an attacker who knows the
 * password could keep a session open and, without a code, refresh it to full access once the owner has turned the
 * factor on.
 */
async function endOthersWithoutCode(tx: Tx<SignedInCall>): Promise<void> {
  const { userId, sessionId } = tx.actor;
  for (const id of await endOtherSessions(tx, { userId, sessionId }))
    await audit(tx, "SESSION_REVOKED", { target: { type: "session", id } });
}
