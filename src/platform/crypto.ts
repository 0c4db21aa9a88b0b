import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";

/** Returns 32 random bytes in base64url: the secret of a link or a cookie (rules 1.15). */
export const newToken = () => randomBytes(32).toString("base64url");

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text has the format of a token. If not, no look-up is needed. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Returns the SHA-256 digest of a token in hexadecimal, by which the token is stored and found. */
export const tokenHash = (token: string) => hash("sha256", token, "hex");

/** Encrypts and authenticates small values: only holders of the key can read or forge them. */
export interface Cipher {
  /** The prefix of every encrypted value: it identifies the key without revealing anything about it. */
  readonly keyId: string;
  /** The ids of all keys with which values can be decrypted. */
  readonly keyIds: string[];
  encrypt(value: unknown): string;
  /**
   * Decrypts a value. @throws WrongEncryptionKeyError if it was encrypted with another key; an error if it was
   * modified
   */
  decrypt(encrypted: string): unknown;
}

/** The error for a value that was encrypted with another key. */
export class WrongEncryptionKeyError extends Error {
  readonly code = "FOREIGN_KEY";
  constructor() {
    super("Encrypted with another key than the one that is configured");
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_BYTES = 6;

/**
 * Creates a cipher: AES-256-GCM with a key derived from `secret` by HKDF. `purpose` separates the keys that are
 * derived from one secret. Values encrypted with the previous secret can be decrypted; new values are never encrypted
 * with it.
 */
export function createCipher(secret: string, purpose: string, previous: string | null = null): Cipher {
  const current = createKey(secret, purpose);
  const keys = previous === null ? [current] : [current, createKey(previous, purpose)];
  return {
    keyId: current.keyId,
    keyIds: keys.map(({ keyId }) => keyId),
    encrypt: current.encrypt,
    decrypt(encrypted) {
      const key = keys.find(({ keyId }) => encrypted.startsWith(keyId));
      if (key === undefined) throw new WrongEncryptionKeyError();
      return key.decrypt(encrypted);
    },
  };
}

function createKey(secret: string, purpose: string): Omit<Cipher, "keyIds"> {
  const derive = (info: string, bytes: number) => new Uint8Array(hkdfSync("sha256", secret, "", info, bytes));
  const key = derive(purpose, 32);
  const keyId = `${Buffer.from(derive(`${purpose} key name`, NAME_BYTES)).toString("base64url")}.`;
  return {
    keyId,
    encrypt(value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
      return keyId + Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64");
    },
    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted.slice(keyId.length), "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
        decipher.final(),
      ]);
      return JSON.parse(text.toString("utf8"));
    },
  };
}
