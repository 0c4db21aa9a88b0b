import * as queries from "#sql/people/two-factor";
import { fromStored } from "../../platform/i18n/languages.ts";
import type { Tx } from "../context.ts";
import { audit } from "../effects/audit.ts";
import { mail } from "../effects/mail.ts";
import { notify } from "../effects/notify.ts";
import { endChallenges } from "./challenges.ts";
import { twoFactorNotEnabled } from "./errors.ts";

/**
 * Turns the second factor of an account off, and tells its owner who did. Under the user's lock.
 * @throws twoFactorNotEnabled
 */
export async function turnOff(tx: Tx, userId: string, via: "self" | "admin"): Promise<void> {
  const [user] = await queries.markDisabled.run({ userId }, tx.db);
  if (user === undefined) throw twoFactorNotEnabled();
  await deleteTwoFactor(tx, userId);
  await audit(tx, "TWO_FACTOR_DISABLED", { target: { type: "user", id: userId }, metadata: { via } });
  await notify(tx, userId, "TWO_FACTOR_DISABLED", { via });
  await mail(tx, {
    kind: "twoFactorDisabled",
    to: user.email,
    language: fromStored(user.language),
    data: { via },
  });
}

/**
 * Ends what the old password opened, now that it is another: sign-ins that wait for their code, and a secret on offer,
 * or whoever knew the old one could still turn the factor on, and the owner would not get in. Where it is on it stays.
 */
export async function discardPendingTwoFactor(tx: Tx, userId: string): Promise<void> {
  await endChallenges(tx, userId);
  await queries.deleteOfferedSecret.run({ userId }, tx.db);
}

/** Deletes the secret, the recovery codes and the open challenges. */
export async function deleteTwoFactor(tx: Tx, userId: string): Promise<void> {
  await queries.deleteSecret.run({ userId }, tx.db);
  await queries.deleteRecoveryCodes.run({ userId }, tx.db);
  await endChallenges(tx, userId);
}
