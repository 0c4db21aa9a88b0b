/* Tokens, digests and ciphers. */

export { createCipher, isToken, newToken, tokenHash, WrongEncryptionKeyError } from "../platform/crypto.ts";
export type { ZipFile } from "../platform/zip.ts";
