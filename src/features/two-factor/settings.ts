import * as queries from "#sql/two-factor";
import { unauthenticated } from "../../core/access/errors.ts";
import { isTwoFactorRequired } from "../../core/access/two-factor.ts";
import { endOtherSessions } from "../../core/accounts/end-sessions.ts";
import { twoFactorNotEnabled, wrongCode } from "../../core/accounts/errors.ts";
import {
  type Account,
  assertConfirmationsLeft,
  assertCredentialsGiven,
  assertReauthenticated,
  checkPassword,
  countConfirmation,
  findAccountOfSession,
  lockAccount,
} from "../../core/accounts/reauthenticate.ts";
import { turnOffTwoFactor } from "../../core/accounts/turn-off-two-factor.ts";
import type { SignedInCall, Tx } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { mail } from "../../core/effects/mail.ts";
import { notify } from "../../core/effects/notify.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { conflict } from "../../platform/errors.ts";
import { fromStored } from "../../platform/i18n/languages.ts";
import { countRecoveryCodes, replaceRecoveryCodes, useTotp } from "./codes.ts";
import { twoFactorAlreadyEnabled } from "./errors.ts";
import { completeProof, type GivenProof } from "./prove.ts";
import { encryptSecret } from "./secret.ts";
import { newSecret, otpauthUrl } from "./totp.ts";

/**
 * Returns whether the second factor is on, since when, and how many recovery codes are left. @throws unauthenticated
 */
export async function getTwoFactor({ db, actor }: SignedInCall) {
  const { userId } = actor;
  const [user] = await queries.findEnabledAt.run({ userId }, db);
  if (user === undefined) throw unauthenticated();
  const enabledAt = user.twoFactorEnabledAt?.toISOString() ?? null;
  const recoveryCodesLeft = await countRecoveryCodes(db, userId);
  return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft };
}

/**
 * Creates a secret, which replaces an unconfirmed one. It takes effect when its first code confirms it.
 * @throws unauthenticated, validationFailed, tooManyRequests, twoFactorAlreadyEnabled, wrongPassword
 */
export async function setUpTwoFactor(call: SignedInCall, { password }: { password?: string | undefined }) {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, { password });
  await assertConfirmationsLeft(call);
  assertDisabled(before);
  await countConfirmation(call);
  const proof = await checkPassword(call, before, password);

  const secret = newSecret();
  // Loaded here, because few set-ups are made and the library takes memory.
  const { qrCode } = await import("./qr-code.ts");
  return transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertDisabled(account);
    assertReauthenticated(account, proof);

    await queries.upsertSecret.run({ userId, sealedSecret: encryptSecret(tx.app, userId, secret) }, tx.db);
    const issuer = new URL(tx.app.config.appUrl).hostname;
    const url = otpauthUrl(secret, { issuer, label: account.email });
    return { secret, otpauthUrl: url, qrCode: qrCode(url) };
  });
}

/**
 * Turns the second factor on, with the first code of the unconfirmed secret; returns the recovery codes.
 * @throws unauthenticated, tooManyRequests, twoFactorAlreadyEnabled, wrongCode; conflict if there is no unconfirmed
 * secret
 */
export async function enableTwoFactor(call: SignedInCall, { code }: { code: string }) {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  await assertConfirmationsLeft(call);
  assertDisabled(before);
  await assertSecretOffered(call.db, userId);
  await countConfirmation(call);

  return transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertDisabled(account);
    await assertSecretOffered(tx.db, userId);
    if (!(await useTotp(tx, userId, code))) throw wrongCode();

    await queries.markEnabled.run({ userId }, tx.db);
    const recoveryCodes = await replaceRecoveryCodes(tx, userId);
    const metadata = { via: "self" } as const;
    await audit(tx, "TWO_FACTOR_ENABLED", { target: { type: "user", id: userId }, metadata });
    await notify(tx, userId, "TWO_FACTOR_ENABLED", metadata);
    await mail(tx, {
      kind: "twoFactorEnabled",
      to: account.email,
      language: fromStored(account.language),
      data: {},
    });
    if (isTwoFactorRequired(tx.app.config, account)) await endOthersWithoutCode(tx);
    return { recoveryCodes };
  });
}

/**
 * Ends the caller's other sessions, which may have begun with the password alone. Otherwise an attacker who knows the
 * password could keep a session open and, without a code, refresh it to full access once the owner has turned the
 * factor on.
 */
async function endOthersWithoutCode(tx: Tx<SignedInCall>): Promise<void> {
  const { userId, sessionId } = tx.actor;
  for (const id of await endOtherSessions(tx, { userId, sessionId }))
    await audit(tx, "SESSION_REVOKED", { target: { type: "session", id } });
}

/**
 * Turns the second factor off, unless it is required.
 * @throws unauthenticated, validationFailed, tooManyRequests, twoFactorNotEnabled, conflict, wrongPassword, wrongCode
 */
export async function disableTwoFactor(call: SignedInCall, given: GivenProof): Promise<void> {
  const { userId } = call.actor;
  const { password, code, recoveryCode } = given;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, { password, code, recoveryCode });
  await assertConfirmationsLeft(call);
  assertEnabled(before);
  assertNotRequired(call, before);
  await countConfirmation(call);
  const proof = await checkPassword(call, before, password);

  await transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertEnabled(account);
    assertNotRequired(call, account);
    await completeProof(tx, account, { given, password: proof, purpose: null, isOlderRoute: true });

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
