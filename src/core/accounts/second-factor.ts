import * as queries from "#sql/people/two-factor";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import type { Tx } from "../context.ts";
import { audit } from "../effects/audit.ts";
import { mail, toAccount } from "../effects/mail.ts";
import { notify } from "../effects/notify.ts";
import { endOf } from "../ends.ts";
import { forgetEarlierWrongCodes } from "./attempts.ts";
import { twoFactorNotEnabled } from "./errors.ts";

/*
 * Challenges. A challenge is a sign-in whose second factor is missing. It is a random token, stored as a digest,
 * valid for five minutes and deleted after use. All writes are under the user's lock.
 */

/** What a sign-in was proven with before its second factor. */
export type FirstFactor = {
  firstFactor: "password" | "provider" | "sso";
  /** The key of the sign-in provider. */
  provider?: string | null;
  /** The connection of a sign-in by one, and what its provider said, encrypted. */
  sso?: { connectionId: string; sealed: string } | null;
};

/** Creates a challenge for a sign-in whose first factor was verified; returns its token. */
export async function issueChallenge(
  tx: Tx,
  userId: string,
  { firstFactor, provider = null, sso = null }: FirstFactor,
): Promise<string> {
  const token = newToken();
  const { connectionId = null, sealed = null } = sso ?? {};
  await queries.insertChallenge.run(
    { userId, tokenHash: tokenHash(token), firstFactor, provider, connectionId, sso: sealed },
    tx.db,
  );
  return token;
}

/** Deletes the pending challenges of a user. */
export async function endChallenges(tx: Tx, userId: string): Promise<void> {
  await queries.deleteChallenges.run({ userId }, tx.db);
}

/**
 * Turns off the second factor of an account, and notifies its owner. Call under the user's lock.
 * @throws twoFactorNotEnabled
 */
export async function turnOffTwoFactor(tx: Tx, userId: string, via: "self" | "admin"): Promise<void> {
  const [user] = await queries.markDisabled.run({ userId }, tx.db);
  if (user === undefined) throw twoFactorNotEnabled();
  await deleteTwoFactor(tx, userId);
  await queries.forgetSecondFactor.run({ userId }, tx.db);
  await audit(tx, "TWO_FACTOR_DISABLED", {
    ...(via === "self" && { actorId: userId }),
    target: { type: "user", id: userId },
    metadata: { via },
  });
  await notify(tx, userId, "TWO_FACTOR_DISABLED", { via });
  await mail(tx, { kind: "twoFactorDisabled", ...toAccount(user), data: { via } });
  await endOf("secondFactor", tx, userId);
}

/**
 * After a password change, discards pending challenges and an unconfirmed secret. Otherwise an attacker who knew
 * the old password could still enable a second factor and lock the owner out. An enabled factor stays. Also resets
 * the long limits of wrong codes, because the attacker may have entered the codes.
 */
export async function discardPendingTwoFactor(tx: Tx, userId: string): Promise<void> {
  await endChallenges(tx, userId);
  await discardOfferedSecret(tx, userId);
  await forgetEarlierWrongCodes(tx, userId);
}

/** Deletes the secret of an authenticator app that was not confirmed by a code. */
export async function discardOfferedSecret(tx: Tx, userId: string): Promise<void> {
  await queries.deleteOfferedSecret.run({ userId }, tx.db);
}

/** Deletes the secret, the recovery codes and the open sign-in challenges of an account. */
export async function deleteTwoFactor(tx: Tx, userId: string): Promise<void> {
  await queries.deleteSecret.run({ userId }, tx.db);
  await queries.deleteRecoveryCodes.run({ userId }, tx.db);
  await endChallenges(tx, userId);
}
