import { randomBytes } from "node:crypto";
import { Secret } from "otpauth";
import * as twoFactor from "#sql/people/two-factor";
import * as queries from "#sql/two-factor";
import type { Tx } from "../../core/context.ts";
import { tokenHash } from "../../platform/crypto.ts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { decryptSecret } from "./secret.ts";
import { findStep } from "./totp.ts";

/*
 * Taking codes. Each works once: the write that uses it up is conditional, and happens in the transaction of what it
 * allows, under the user's lock.
 */

const TOTP_CODE = /^\d{6}$/;
const RECOVERY_CODES = 10;
/** 120 bits, beyond all guessing even without salt (NIST SP 800-63B asks for 112), and 24 letters to write down. */
const RECOVERY_CODE_BYTES = 15;

/** Uses up a valid code, and returns which kind it is: one of the authenticator app, or a recovery code. Null if invalid. */
export async function useCode(tx: Tx, userId: string, code: string): Promise<"app" | "recovery" | null> {
  if (TOTP_CODE.test(withoutSpaces(code))) return (await useTotp(tx, userId, code)) ? "app" : null;
  return (await useRecoveryCode(tx, userId, code)) ? "recovery" : null;
}

/**
 * Whether this is the app's code of now, or of the step before or after; that step and all before it are used up then.
 * @throws an error, which is no wrong code, when the secret cannot be decrypted
 */
export async function useTotp(tx: Tx, userId: string, code: string): Promise<boolean> {
  const [stored] = await queries.findSecret.run({ userId }, tx.db);
  if (stored === undefined || !TOTP_CODE.test(withoutSpaces(code))) return false;
  const step = findStep(decryptSecret(tx.app, userId, stored.sealedSecret), withoutSpaces(code), stored);
  if (step === null) return false;
  return (await queries.useStep.run({ userId, step }, tx.db)).length > 0;
}

/** Whether this is an unused code of the list. Needs no key. */
export async function useRecoveryCode(tx: Tx, userId: string, code: string): Promise<boolean> {
  return (await queries.useRecoveryCode.run({ userId, codeHash: hashOf(code) }, tx.db)).length > 0;
}

/** How many are left. */
export async function countRecoveryCodes(db: Queryable, userId: string): Promise<number> {
  return exactlyOne(await queries.countRecoveryCodes.run({ userId }, db)).count;
}

/** Makes a new list, which replaces the old one. What is answered is stored nowhere. */
export async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await twoFactor.deleteRecoveryCodes.run({ userId }, tx.db);
  await queries.insertRecoveryCodes.run({ userId, codeHashes: codes.map(hashOf) }, tx.db);
  return codes;
}

/** Letters and digits that are not taken for each other, in groups of four. */
function newRecoveryCode(): string {
  const { base32 } = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_CODE_BYTES)).buffer });
  return base32.toLowerCase().replaceAll(/.{4}(?=.)/g, "$&-");
}

/** However it was typed in. */
const hashOf = (code: string) => tokenHash(code.toLowerCase().replaceAll(/[\s-]/g, ""));

/** Apps show codes in two groups. */
const withoutSpaces = (code: string) => code.replaceAll(/\s/g, "");
