import * as accounts from "#sql/people/accounts";
import type { SignedInCall } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { mail } from "../../core/effects/mail.ts";
import { notify } from "../../core/effects/notify.ts";
import { endOtherSessions } from "../../core/people/end-sessions.ts";
import { isOwnEmail, NOT_THE_EMAIL } from "../../core/people/passwords.ts";
import { type Account, confirmed } from "../../core/people/reauthenticate.ts";
import { discardPendingTwoFactor } from "../../core/people/turn-off-two-factor.ts";
import { conflict } from "../../platform/errors.ts";
import { fromStored } from "../../platform/i18n/languages.ts";

/**
 * Changes the caller's password; their other sessions end.
 * @throws as `confirmed`; validationFailed for a password that is the email; conflict for an account without one
 */
export async function changePassword(
  call: SignedInCall,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  let passwordHash = "";
  const confirmation = {
    asks: ["password" as const],
    given: { password: currentPassword },
    validate: ({ email }: Account) =>
      isOwnEmail(newPassword, email)
        ? [{ path: "newPassword", message: `newPassword ${NOT_THE_EMAIL}` }]
        : [],
    refuse: assertHasPassword,
    prepare: async () => {
      passwordHash = await call.app.hasher.hash(newPassword, { of: call.actor.userId, lane: "confirmation" });
    },
  };
  await confirmed(call, confirmation, async (tx, { id: userId, email, language }) => {
    await accounts.setPassword.run({ id: userId, passwordHash }, tx.db);
    await endOtherSessions(tx, { userId, sessionId: tx.actor.sessionId });
    await discardPendingTwoFactor(tx, userId);
    await audit(tx, "PASSWORD_CHANGED", { target: { type: "user", id: userId } });
    await notify(tx, userId, "PASSWORD_CHANGED", { via: "change" });
    await mail(tx, { kind: "passwordChanged", to: email, language: fromStored(language), data: {} });
  });
}

function assertHasPassword({ passwordHash }: Account): void {
  if (passwordHash === null) throw conflict();
}
