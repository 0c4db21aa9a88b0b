import * as accounts from "#sql/accounts";
import { isOwnEmail, NOT_THE_EMAIL } from "../accounts/schemas.ts";
import { audit } from "../audit/effect.ts";
import type { SignedInCall } from "../context.ts";
import { conflict } from "../http/errors.ts";
import { fromStored } from "../i18n/languages.ts";
import { mail } from "../mail/effect.ts";
import { notify } from "../notifications/effect.ts";
import { endOtherSessions } from "../sessions/end.ts";
import { endUnconfirmed } from "../two-factor/turn-off.ts";
import { type Account, confirmed } from "./confirm.ts";

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
    refuse: refuseWithoutPassword,
    prepare: async () => {
      passwordHash = await call.app.hasher.hash(newPassword, { of: call.actor.userId, lane: "confirmation" });
    },
  };
  await confirmed(call, confirmation, async (tx, { id: userId, email, language }) => {
    await accounts.setPassword.run({ id: userId, passwordHash }, tx.db);
    await endOtherSessions(tx, { userId, sessionId: tx.actor.sessionId });
    await endUnconfirmed(tx, userId);
    await audit(tx, "PASSWORD_CHANGED", { target: { type: "user", id: userId } });
    await notify(tx, userId, "PASSWORD_CHANGED", { via: "change" });
    await mail(tx, { kind: "passwordChanged", to: email, language: fromStored(language), data: {} });
  });
}

function refuseWithoutPassword({ passwordHash }: Account): void {
  if (passwordHash === null) throw conflict();
}
