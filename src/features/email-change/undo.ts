import * as queries from "#sql/email-changes";
import * as passkeys from "#sql/people/passkeys";
import { invalidOrExpiredToken } from "../../core/accounts/errors.ts";
import { listSecondFactors } from "../../core/accounts/passkey-options.ts";
import { discardOfferedSecret, turnOffTwoFactor } from "../../core/accounts/turn-off-two-factor.ts";
import type { Call, Tx } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { mail } from "../../core/effects/mail.ts";
import { lockEmails, lockUsers } from "../../core/locks.ts";
import { tokenHash } from "../../platform/crypto.ts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { serializationFailure, transaction } from "../../platform/db/transaction.ts";
import { fromStored } from "../../platform/i18n/languages.ts";
import { issueResetLink } from "../accounts/reset-password.ts";
import { endLinks, endSessions } from "./confirm.ts";
import { cancelPending } from "./request.ts";

type Change = Awaited<ReturnType<typeof queries.findChangeToUndo.run>>[number];

/**
 * Undoes a completed change of email, with the link that was mailed to the old address. Ends every session, and
 * removes passkeys, identities and codes that were added since the change, so that a thief keeps no access (rules
 * 35.6).
 * @throws invalidOrExpiredToken
 */
export async function undoEmailChange(call: Call, token: string): Promise<void> {
  const hash = tokenHash(token);
  await transaction(call, async (tx) => {
    const found = await findChange(tx, hash);
    await lockEmails(tx, [found.oldEmail, found.email]);
    await lockUsers(tx, [found.userId]);
    const change = await findChange(tx, hash);
    // A later change was completed meanwhile. Its email must be locked before the user, so the transaction is
    // retried.
    if (change.email !== found.email) throw serializationFailure();
    await undo(tx, change);
  });
  call.app.meter.count("email_changes_total", { outcome: "undone" });
}

async function findChange({ db }: { db: Queryable }, hash: string): Promise<Change> {
  const [change] = await queries.findChangeToUndo.run({ tokenHash: hash }, db);
  if (change === undefined) throw invalidOrExpiredToken();
  return change;
}

async function undo(tx: Tx, change: Change): Promise<void> {
  const { id, userId, oldEmail, email: presentEmail, completedAt } = change;
  await cancelPending(tx, userId);
  if (!exactlyOne(await queries.undoEmail.run({ id }, tx.db)).isUndone) throw invalidOrExpiredToken();
  const since = completedAt.toISOString();
  await queries.markUndone.run({ userId, since }, tx.db);
  await endSessions(tx, userId);
  await endLinks(tx, userId);
  await removeWhatWasAdded(tx, change, since);
  const language = fromStored(change.language);
  await audit(tx, "EMAIL_CHANGE_UNDONE", {
    actorId: userId,
    target: { type: "user", id: userId },
    metadata: { from: presentEmail, to: oldEmail },
  });
  await issueResetLink(tx, { id: userId, email: oldEmail, language });
  await mail(tx, { kind: "emailChangeUndone", to: presentEmail, language, data: {} });
}

async function removeWhatWasAdded(tx: Tx, change: Change, since: string): Promise<void> {
  const { userId } = change;
  await passkeys.deletePasskeysOfUser.run({ userId, since }, tx.db);
  await queries.deleteIdentitiesSince.run({ userId, since }, tx.db);
  await queries.deleteRecoveryCodesSince.run({ userId, since }, tx.db);
  if (change.isPasswordNew) await queries.voidPassword.run({ userId }, tx.db);
  await discardOfferedSecret(tx, userId);
  if (!change.hasTwoFactor) return;
  const left = await listSecondFactors(tx, userId);
  const hasNothing = !left.includes("code") && !left.includes("passkey");
  if (change.isFactorNew || hasNothing) await turnOffTwoFactor(tx, userId, "self");
}
