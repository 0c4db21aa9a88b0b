import { audit, mail, notify, type Tx } from "#kit";
import { fromStored } from "#kit/inside";
import { countRecoveryCodes } from "./codes.ts";

/**
 * Audits the use of a recovery code. Notifies and mails the user about its purpose and the number of codes left
 * (rules 7.7).
 */
export async function notifyRecoveryCodeUsed(
  tx: Tx,
  user: { id: string; email: string; language: "EL" | "EN" },
  purpose: "sign-in" | "export" | "reauthentication",
): Promise<void> {
  const remaining = await countRecoveryCodes(tx.db, user.id);
  await audit(tx, "TWO_FACTOR_RECOVERY_CODE_USED", {
    actorId: user.id,
    target: { type: "user", id: user.id },
    metadata: { via: "self" },
  });
  await notify(tx, user.id, "TWO_FACTOR_RECOVERY_CODE_USED", { remaining });
  await mail(tx, {
    kind: "recoveryCodeUsed",
    to: user.email,
    language: fromStored(user.language),
    data: { remaining, purpose },
  });
}
