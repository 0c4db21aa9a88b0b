import {
  audit,
  type Call,
  endOf,
  isToken,
  type Language,
  mail,
  newToken,
  notify,
  type Service,
  type Tx,
  tokenHash,
  transaction,
  validationFailed,
} from "#kit";
import { fromStored, lockUsers, toAccount, withEndedApps } from "#kit/inside";
import * as accounts from "#sql/accounts";
import * as people from "#sql/people/accounts";
import { forgetFailures } from "../../core/accounts/attempts.ts";
import { cancelEmailChange } from "../../core/accounts/cancel-email-change.ts";
import { endAllSessions } from "../../core/accounts/end-sessions.ts";
import { invalidOrExpiredToken } from "../../core/accounts/errors.ts";
import { assertHuman, assertNotBreached } from "../../core/accounts/outside-checks.ts";
import { countPasskeys } from "../../core/accounts/passkey-options.ts";
import { passwordViolations } from "../../core/accounts/passwords.ts";
import { discardPendingTwoFactor } from "../../core/accounts/second-factor.ts";
import { MAIL_WINDOWS } from "./limits.ts";
import { RESET_QUEUE } from "./queues.ts";
import { markEmailVerified } from "./verify-email.ts";

/**
 * Queues a job that mails a reset link. Responds before the account is looked up, so that neither the response nor
 * its time reveals whether there is an account (rules 4.7).
 * @throws botCheckRequired
 */
export async function requestPasswordReset(
  call: Call,
  { email, botToken }: { email: string; botToken?: string | undefined },
): Promise<void> {
  await assertHuman(call, botToken);
  await transaction(call, (tx) =>
    tx.app.jobs.send(tx.db, RESET_QUEUE, { email }, { requestId: tx.requestId }),
  );
}

/**
 * Mails a reset link to an account that is not deleted, within the limits of such mails. Runs in a job, after the
 * response.
 */
export async function sendPasswordReset(call: Call, email: string): Promise<void> {
  await transaction(call, async (tx) => {
    const [found] = await people.findUserByEmail.run({ email }, tx.db);
    if (found === undefined) return;
    await lockUsers(tx, [found.id]);

    // The account is read again under the lock, because it may have been deleted.
    const [user] = await people.findUserByEmail.run({ email }, tx.db);
    if (user === undefined) return;
    const [limit] = await accounts.isResetAllowed.run({ userId: user.id, ...MAIL_WINDOWS }, tx.db);
    if (!limit?.isAllowed) return;
    await issueResetLink(tx, { id: user.id, email: user.email, language: fromStored(user.language) });
  });
}

type Recipient = { id: string; email: string; language: Language };

/** Mails a new reset link, which invalidates earlier links. Call under the user's lock. */
export async function issueResetLink(tx: Tx, { id, email, language }: Recipient): Promise<void> {
  const token = newToken();
  await accounts.supersedeReset.run({ userId: id }, tx.db);
  await accounts.insertReset.run({ userId: id, tokenHash: tokenHash(token) }, tx.db);
  await mail(tx, { kind: "passwordReset", to: email, language, data: { token } });
}

/**
 * Sets a new password, verifies the email, and ends every session, connected app and the pending change of email (rules 4.10).
 * @throws invalidOrExpiredToken before any hashing; validationFailed for a password made of the email or names or
 * from a data breach, and the link then stays valid; tooManyRequests if too many hashes for the same email are already waiting
 */
export async function resetPassword(call: Call, body: { token: string; newPassword: string }): Promise<void> {
  const hashed = { tokenHash: tokenHash(body.token) };
  const [link] = await accounts.findResetUser.run(hashed, call.db);
  if (link === undefined) throw invalidOrExpiredToken();
  const violations = passwordViolations("newPassword", body.newPassword, link, call.app.config);
  if (violations.length > 0) throw validationFailed(violations);
  await assertNotBreached(call, "newPassword", body.newPassword);
  const passwordHash = await call.app.hasher.hash(body.newPassword, { key: link.email, priority: "sign-in" });

  await transaction(call, async (tx) => {
    await lockUsers(tx, [link.userId]);
    const [used] = await accounts.useReset.run(hashed, tx.db);
    const [user] = used ? await people.setPassword.run({ id: link.userId, passwordHash }, tx.db) : [];
    if (user === undefined) throw invalidOrExpiredToken();

    await markEmailVerified(tx, link.userId);
    await forgetFailures(tx, user.email);
    await endAllSessions(tx, link.userId);
    const endedApps = await endOf("sessions", tx, link.userId);
    await discardPendingTwoFactor(tx, link.userId);
    await cancelEmailChange(tx, link.userId);
    await audit(tx, "PASSWORD_RESET", {
      actorId: link.userId,
      target: { type: "user", id: link.userId },
      metadata: withEndedApps(endedApps),
    });
    await notify(tx, link.userId, "PASSWORD_CHANGED", { via: "reset" });
    await mail(tx, {
      kind: "passwordChanged",
      ...toAccount(user),
      data: { passkeys: await countPasskeys(tx, link.userId) },
    });
  });
}

/** Returns a violation if the password consists of the names of the account that the link belongs to. */
export async function resetViolations({ token, newPassword }: Record<string, unknown>, { app, db }: Service) {
  if (typeof token !== "string" || !isToken(token)) return [];
  const [link] = await accounts.findResetUser.run({ tokenHash: tokenHash(token) }, db);
  return link === undefined ? [] : passwordViolations("newPassword", newPassword, link, app.config);
}
