/* Tokens, digests and ciphers. */

export { isToken, newToken, tokenHash } from "../platform/crypto.ts";
