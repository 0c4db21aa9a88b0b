import * as accounts from "#sql/people/accounts";
import type { Tx } from "../context.ts";
import { audit } from "../effects/audit.ts";
import { withEndedApps } from "../ends.ts";

/**
 * Cancels the pending change of an account's email; returns whether there was one. Call under the user's lock.
 * @param endedApps how many connected apps ended with it
 */
export async function cancelEmailChange(tx: Tx, userId: string, endedApps = 0): Promise<boolean> {
  const [canceled] = await accounts.cancelEmailChange.run({ userId }, tx.db);
  if (canceled === undefined || !canceled.isLive) return false;
  await audit(tx, "EMAIL_CHANGE_CANCELED", {
    actorId: userId,
    target: { type: "user", id: userId },
    metadata: { from: canceled.oldEmail, to: canceled.newEmail, ...withEndedApps(endedApps) },
  });
  tx.app.meter.count("email_changes_total", { outcome: "canceled" });
  return true;
}
