import { base62Checksum, randomBase62 } from "./api-key-form.ts";

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
