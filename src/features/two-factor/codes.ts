import { randomBytes } from "node:crypto";
import { Secret } from "otpauth";
import { audit, exactlyOne, mail, notify, type Queryable, type Tx, tokenHash } from "#kit";
import { toAccount } from "#kit/inside";
import * as twoFactor from "#sql/people/two-factor";
import * as queries from "#sql/two-factor";
import { decryptSecret } from "./secret.ts";
import { findStep } from "./totp.ts";

/*
 * Checks and consumes codes of the second factor. Each code works once: a conditional write consumes it in the
 * transaction that the code authorizes, under the user's lock.
 */

const TOTP_CODE = /^\d{6}$/;
const RECOVERY_CODES = 10;
/**
 * The entropy and length of a recovery code. 120 bits cannot be guessed even without salt (NIST SP 800-63B requires
 * 112), and are 24 letters to write down.
 */
const RECOVERY_CODE_BYTES = 15;

/**
 * Consumes a valid code, and returns whether it is a code of the authenticator app or a recovery code. Returns null
 * if the code is invalid.
 */
export async function useCode(tx: Tx, userId: string, code: string): Promise<"app" | "recovery" | null> {
  if (TOTP_CODE.test(withoutSpaces(code))) return (await useTotp(tx, userId, code)) ? "app" : null;
  return (await useRecoveryCode(tx, userId, code)) ? "recovery" : null;
}

/**
 * Whether the code is the app's code for the current time step, the previous or the next one. If so, consumes that
 * step and all earlier steps.
 * @throws an error, which does not count as a wrong code, if the secret cannot be decrypted
 */
export async function useTotp(tx: Tx, userId: string, code: string): Promise<boolean> {
  const [stored] = await queries.findSecret.run({ userId }, tx.db);
  if (stored === undefined || !TOTP_CODE.test(withoutSpaces(code))) return false;
  const step = findStep(decryptSecret(tx.app, userId, stored.sealedSecret), withoutSpaces(code), stored);
  if (step === null) return false;
  return (await queries.useStep.run({ userId, step }, tx.db)).length > 0;
}

/**
 * Whether this is an unused recovery code. If so, consumes it. Works without the key that encrypts the app's
 * secret.
 */
export async function useRecoveryCode(tx: Tx, userId: string, code: string): Promise<boolean> {
  return (await queries.useRecoveryCode.run({ userId, codeHash: hashOf(code) }, tx.db)).length > 0;
}

/** Returns the number of unused recovery codes. */
export async function countRecoveryCodes(db: Queryable, userId: string): Promise<number> {
  return exactlyOne(await queries.countRecoveryCodes.run({ userId }, db)).count;
}

/** Creates new recovery codes, which replace the old ones. Returns the codes; only digests of them are stored. */
export async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await twoFactor.deleteRecoveryCodes.run({ userId }, tx.db);
  await queries.insertRecoveryCodes.run({ userId, codeHashes: codes.map(hashOf) }, tx.db);
  return codes;
}

/** Returns a recovery code of letters and digits that are not mistaken for each other, in groups of four. */
function newRecoveryCode(): string {
  const { base32 } = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_CODE_BYTES)).buffer });
  return base32.toLowerCase().replaceAll(/.{4}(?=.)/g, "$&-");
}

/** Returns the digest of a recovery code, ignoring case, spaces and hyphens. */
const hashOf = (code: string) => tokenHash(code.toLowerCase().replaceAll(/[\s-]/g, ""));

/** Authenticator apps show codes in two groups, so spaces are ignored. */
const withoutSpaces = (code: string) => code.replaceAll(/\s/g, "");

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
  await mail(tx, { kind: "recoveryCodeUsed", ...toAccount(user), data: { remaining, purpose } });
}
