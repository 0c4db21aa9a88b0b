import { audit, exactlyOne, type Language, notify, type Tx } from "#kit";
import { fromStored } from "#kit/inside";
import * as queries from "#sql/email-changes";
import { listSecondFactors } from "../../core/accounts/passkey-options.ts";
import { findAccount } from "../../core/accounts/reauthenticate.ts";
import { discardOfferedSecret, endChallenges, turnOffTwoFactor } from "../../core/accounts/second-factor.ts";
import { hasWayIn } from "../../core/accounts/ways-in.ts";
import { issueResetLink } from "../accounts/reset-password.ts";
import { unlinkIdentitiesSince } from "../identities/link.ts";
import { removePasskeysSince } from "../passkeys/reset.ts";

/**
 * Removes the passkeys, identities, second factor and password that were added to an account since 24 hours before a
 * change of its email was requested: a thief adds a way in first, and requests the change afterwards (rules 35.6).
 * Tells the owner of each removal, and mails a link to set a password: always, or if there is no password or way in
 * left. Call under the user's lock, when the account has the email of its owner.
 */
export async function removeSuspects(
  tx: Tx,
  { id, userId }: { id: string; userId: string },
  resetLink: "always" | "ifNeeded",
): Promise<{ language: Language }> {
  const account = await findAccount(tx.db, userId);
  const suspects = exactlyOne(await queries.findSuspects.run({ id }, tx.db));
  const since = suspects.since.toISOString();
  await endChallenges(tx, userId);
  await removePasskeysSince(tx, account, since);
  await unlinkIdentitiesSince(tx, account, since);
  await queries.deleteRecoveryCodesSince.run({ userId, since }, tx.db);
  await discardOfferedSecret(tx, userId);
  if (suspects.isPasswordNew) await voidPassword(tx, userId);
  if (account.hasTwoFactor && (suspects.isFactorNew || (await isFactorEmpty(tx, userId))))
    await turnOffTwoFactor(tx, userId, "self");

  const language = fromStored(account.language);
  const needsLink = resetLink === "always" || suspects.isPasswordNew || !(await hasWayIn(tx, userId));
  if (needsLink) await issueResetLink(tx, { id: userId, email: account.email, language });
  return { language };
}

async function voidPassword(tx: Tx, userId: string): Promise<void> {
  await queries.voidPassword.run({ userId }, tx.db);
  const metadata = { provider: "password" };
  const target = { type: "user", id: userId } as const;
  await audit(tx, "SIGN_IN_METHOD_REMOVED", { actorId: userId, target, metadata });
  await notify(tx, userId, "SIGN_IN_METHOD_REMOVED", metadata);
}

async function isFactorEmpty(tx: Tx, userId: string): Promise<boolean> {
  const left = await listSecondFactors(tx, userId);
  return !left.includes("code") && !left.includes("passkey");
}
