import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/*
 * The form of an API key: `<prefix>_`, 40 random characters, and their CRC-32 as six digits, all in base62. The
 * checksum rejects mistyped and invented keys without a query, and lets secret scanners distinguish keys from other
 * text.
 */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
/** Random bytes from this value on are discarded, because they would make the first base62 digits more likely. */
const UNBIASED_BYTES = 256 - (256 % DIGITS.length);

/** The format of `API_KEY_PREFIX`. */
export const KEY_PREFIX = /^[a-z][a-z0-9]{1,9}$/;
/** An access token begins with `eyJ`, so it cannot be mistaken for an API key. */
const BEGINS_LIKE_KEY = /^[a-z][a-z0-9]{1,9}_/;
const KEY = /^([a-z][a-z0-9]{1,9}_)([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/;

/** Whether a bearer token is intended to be an API key, with any prefix. */
export const looksLikeApiKey = (token: string): boolean => BEGINS_LIKE_KEY.test(token);

/** Whether a text has the form of an API key and a correct checksum. */
export function isApiKey(text: string): boolean {
  const [, , random, checksum] = KEY.exec(text) ?? [];
  return random !== undefined && checksum === base62Checksum(random);
}

/** Creates a new random API key. */
export function newApiKey(prefix: string): string {
  const random = randomBase62();
  return `${prefix}_${random}${base62Checksum(random)}`;
}

/** Returns the prefix and the first four characters of an API key, by which people recognize it. */
export const startOf = (key: string): string => key.slice(0, key.indexOf("_") + 1 + 4);

/** Returns 40 random base62 characters. */
function randomBase62(): string {
  let digits = "";
  while (digits.length < RANDOM_LENGTH)
    for (const byte of randomBytes(RANDOM_LENGTH))
      if (byte < UNBIASED_BYTES && digits.length < RANDOM_LENGTH) digits += DIGITS[byte % DIGITS.length];
  return digits;
}

/** Returns the CRC-32 of a text as six base62 digits. */
function base62Checksum(random: string): string {
  let rest = crc32(random);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/*
 * The form of what connected apps get: `mos` and the kind, `_`, 40 random characters, and the CRC-32 of kind and characters
 * as six digits, all in base62. So the form alone distinguishes them from API keys, and secret scanners find them by
 * `\bmos[acrs]_[0-9A-Za-z]{46}\b`.
 */

/** An access token, a code, a refresh token, or the secret of a client. */
export type AppSecretKind = "a" | "c" | "r" | "s";

const SECRET = /^mos([acrs])_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/;

/** Whether a bearer token is intended for an app; no API key has these prefixes. */
export const looksLikeAppSecret = (text: string): boolean => /^mos[acrs]_/.test(text);

/** Whether a text has the form of an app's secret of this kind, and its checksum. */
export function isAppSecret(kind: AppSecretKind, text: string): boolean {
  const [, of, random, checksum] = SECRET.exec(text) ?? [];
  return of === kind && random !== undefined && checksum === base62Checksum(kind + random);
}

/** Returns the secret of a kind with these 40 base62 characters; random ones by default. */
export const appSecret = (kind: AppSecretKind, random = randomBase62()): string =>
  `mos${kind}_${random}${base62Checksum(kind + random)}`;
