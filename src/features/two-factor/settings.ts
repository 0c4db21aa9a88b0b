import { audit, conflict, type Queryable, type SignedInCall, transaction, unauthenticated } from "#kit";
import * as queries from "#sql/two-factor";
import { isTwoFactorRequired } from "../../core/access/proofs.ts";
import { twoFactorNotEnabled, wrongCode } from "../../core/accounts/errors.ts";
import { listSecondFactors } from "../../core/accounts/passkey-options.ts";
import { assertPasskeyStays, checkPasskey, type GivenPasskey } from "../../core/accounts/prove-passkey.ts";
import {
  type Account,
  assertConfirmationsLeft,
  assertCredentialsGiven,
  assertRecentWithoutPassword,
  checkPassword,
  completePassword,
  countConfirmation,
  findAccountOfSession,
  lockAccount,
} from "../../core/accounts/reauthenticate.ts";
import { discardOfferedSecret, turnOffTwoFactor } from "../../core/accounts/second-factor.ts";
import { countRecoveryCodes, replaceRecoveryCodes, useTotp } from "./codes.ts";
import { twoFactorAlreadyEnabled } from "./errors.ts";
import { beginProof, completeProof, type GivenProof, withKeys } from "./prove.ts";
import { encryptSecret } from "./secret.ts";
import { newSecret, otpauthUrl } from "./totp.ts";
import { turnOnTwoFactor } from "./turn-on.ts";

/**
 * Returns whether the second factor is on, since when, and how many recovery codes are left. @throws unauthenticated
 */
export async function getTwoFactor({ app, db, actor }: SignedInCall) {
  const { userId } = actor;
  const [user] = await queries.findEnabledAt.run({ userId }, db);
  if (user === undefined) throw unauthenticated();
  const enabledAt = user.twoFactorEnabledAt?.toISOString() ?? null;
  const recoveryCodesLeft = await countRecoveryCodes(db, userId);
  const factors = await listSecondFactors({ app, db }, userId);
  const methods = [
    ...(factors.includes("code") ? (["totp"] as const) : []),
    ...(factors.includes("passkey") ? (["passkey"] as const) : []),
  ];
  return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft, methods };
}

/**
 * Creates a secret for an authenticator app, which replaces an unconfirmed one. It takes effect when its first code
 * confirms it.
 * @throws unauthenticated, validationFailed, reauthenticationRequired, tooManyRequests, twoFactorAlreadyEnabled,
 * wrongPassword
 */
export async function setUpTwoFactor(call: SignedInCall, { password }: { password?: string | undefined }) {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, { password });
  await assertRecentWithoutPassword(call, before);
  await assertConfirmationsLeft(call);
  assertDisabled(before);
  await countConfirmation(call);
  const proof = await checkPassword(call, before, password);

  const secret = newSecret();
  // The library is loaded here, because few apps are set up and the library takes memory.
  const { qrCode } = await import("./qr-code.ts");
  return transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertDisabled(account);
    await completePassword(tx, account, proof);

    await queries.upsertSecret.run({ userId, sealedSecret: encryptSecret(tx.app, userId, secret) }, tx.db);
    const issuer = new URL(tx.app.config.appUrl).hostname;
    const url = otpauthUrl(secret, { issuer, label: account.email });
    return { secret, otpauthUrl: url, qrCode: qrCode(url) };
  });
}

/**
 * Turns the second factor on, with the first code of the unconfirmed secret or with a passkey. Returns the recovery
 * codes.
 * @throws unauthenticated, tooManyRequests, twoFactorAlreadyEnabled, wrongCode; conflict if there is no unconfirmed
 * secret
 */
export async function enableTwoFactor(
  call: SignedInCall,
  { code, passkey }: { code?: string | undefined; passkey?: GivenPasskey | undefined },
) {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  await assertConfirmationsLeft(call);
  assertDisabled(before);
  if (passkey === undefined) await assertSecretOffered(call.db, userId);
  await countConfirmation(call);
  const checked = passkey === undefined ? null : await checkPasskey(call, passkey, { isSecond: true });

  return transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertDisabled(account);
    if (checked === null) {
      await assertSecretOffered(tx.db, userId);
      if (!(await useTotp(tx, userId, code ?? ""))) throw wrongCode();
    } else {
      await assertPasskeyStays(tx, checked);
      // Discards an unconfirmed secret of an authenticator app; otherwise it would take effect without a confirming
      // code.
      await discardOfferedSecret(tx, userId);
    }
    return { recoveryCodes: await turnOnTwoFactor(tx, account) };
  });
}

/**
 * Turns the second factor off, unless it is required.
 * @throws unauthenticated, validationFailed, tooManyRequests, twoFactorNotEnabled, conflict, wrongPassword, wrongCode
 */
export async function disableTwoFactor(call: SignedInCall, given: GivenProof): Promise<void> {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, withKeys(given));
  await assertConfirmationsLeft(call);
  assertEnabled(before);
  assertNotRequired(call, before);
  await countConfirmation(call);
  const checked = await beginProof(call, before, given);

  await transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertEnabled(account);
    assertNotRequired(call, account);
    await completeProof(tx, account, { given, checked, purpose: null, isOlderRoute: true });

    await turnOffTwoFactor(tx, userId, "self");
  });
}

/**
 * Creates new recovery codes; the old ones no longer work.
 * @throws unauthenticated, tooManyRequests, twoFactorNotEnabled, wrongCode
 */
export async function regenerateRecoveryCodes(call: SignedInCall, { code }: { code: string }) {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  await assertConfirmationsLeft(call);
  assertEnabled(before);
  await countConfirmation(call);

  return transaction(call, async (tx) => {
    assertEnabled(await lockAccount(tx));
    if (!(await useTotp(tx, userId, code))) throw wrongCode();

    const recoveryCodes = await replaceRecoveryCodes(tx, userId);
    await audit(tx, "TWO_FACTOR_RECOVERY_CODES_REGENERATED", {
      target: { type: "user", id: userId },
      metadata: { via: "self" },
    });
    return { recoveryCodes };
  });
}

async function assertSecretOffered(db: Queryable, userId: string): Promise<void> {
  if ((await queries.findSecret.run({ userId }, db)).length === 0) throw conflict();
}

function assertDisabled({ hasTwoFactor }: Account): void {
  if (hasTwoFactor) throw twoFactorAlreadyEnabled();
}

function assertNotRequired({ app }: SignedInCall, account: Account): void {
  if (isTwoFactorRequired(app.config, account)) throw conflict();
}

function assertEnabled({ hasTwoFactor }: Account): void {
  if (!hasTwoFactor) throw twoFactorNotEnabled();
}
