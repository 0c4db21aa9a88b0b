import { audit, conflict, mail, notify, type Service, type SignedInCall, transaction } from "#kit";
import { toAccount } from "#kit/inside";
import * as accounts from "#sql/people/accounts";
import type { Actor } from "../../core/access/access.ts";
import { endOtherSessions } from "../../core/accounts/end-sessions.ts";
import { assertNotBreached } from "../../core/accounts/outside-checks.ts";
import { countPasskeys } from "../../core/accounts/passkey-options.ts";
import { passwordViolations } from "../../core/accounts/passwords.ts";
import {
  type Account,
  assertConfirmationsLeft,
  assertCredentialsGiven,
  checkPassword,
  completePassword,
  countConfirmation,
  findAccountOfSession,
  lockAccount,
} from "../../core/accounts/reauthenticate.ts";
import { discardPendingTwoFactor } from "../../core/accounts/second-factor.ts";
import { countConnectedApps, findLiveUser } from "../../core/accounts/user.ts";

/**
 * Changes the caller's password, and ends the caller's other sessions.
 * @throws unauthenticated; validationFailed, also for a password made of the email or names or from a data
 * breach; tooManyRequests;
 * conflict for an account without a password; wrongPassword
 */
export async function changePassword(
  call: SignedInCall,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  const violations = passwordViolations("newPassword", newPassword, before, call.app.config);
  assertCredentialsGiven(before, { password: currentPassword }, violations);
  await assertNotBreached(call, "newPassword", newPassword);
  await assertConfirmationsLeft(call);
  assertHasPassword(before);
  await countConfirmation(call);
  const proof = await checkPassword(call, before, currentPassword);
  // The new password is hashed even if the current one is wrong, to close a timing side channel.
  const passwordHash = await call.app.hasher.hash(newPassword, { key: userId, priority: "confirmation" });

  await transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertHasPassword(account);
    await completePassword(tx, account, proof);

    await accounts.setPassword.run({ id: userId, passwordHash }, tx.db);
    await endOtherSessions(tx, { userId, sessionId: tx.actor.sessionId });
    await discardPendingTwoFactor(tx, userId);
    await audit(tx, "PASSWORD_CHANGED", { target: { type: "user", id: userId } });
    await notify(tx, userId, "PASSWORD_CHANGED", { via: "change" });
    await mail(tx, {
      kind: "passwordChanged",
      ...toAccount(account),
      data: { passkeys: await countPasskeys(tx, userId), apps: await countConnectedApps(tx, userId) },
    });
  });
}

function assertHasPassword({ passwordHash }: Account): void {
  if (passwordHash === null) throw conflict();
}

/** Returns a violation if the password consists of the caller's names. */
export async function passwordChangeViolations(
  { newPassword }: Record<string, unknown>,
  { app, db, actor }: Service & { actor: Actor | null },
) {
  const user = actor?.userId ? await findLiveUser(db, actor.userId) : null;
  return user === null ? [] : passwordViolations("newPassword", newPassword, user, app.config);
}
