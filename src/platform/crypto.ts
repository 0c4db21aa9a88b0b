import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/** 32 random bytes in base64url: the secret of a link or a cookie (rules 1.15). */
export const newToken = () => randomBytes(32).toString("base64url");

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text has the form of a token, so that it is worth looking for. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** The SHA-256 digest, in hexadecimal, by which a token is stored and found. */
export const tokenHash = (token: string) => createHash("sha256").update(token).digest("hex");

/** Keeps small values so that only holders of the key can read or forge them. */
export interface Box {
  /** What every value that it seals begins with: tells keys apart, and tells nothing of them. */
  readonly keyId: string;
  seal(value: unknown): string;
  /** @throws WrongEncryptionKeyError for what was sealed with another key; an error for what was changed */
  open(sealed: string): unknown;
}

/** Why a value stays closed: the key is not the one that it was sealed with. */
export class WrongEncryptionKeyError extends Error {
  readonly code = "FOREIGN_KEY";
  constructor() {
    super("Encrypted with another key than the one that is configured");
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_BYTES = 6;

/** AES-256-GCM under a key derived from `secret` by HKDF; `purpose` keeps the boxes of one secret apart. */
export function box(secret: string, purpose: string): Box {
  const derive = (info: string, bytes: number) => new Uint8Array(hkdfSync("sha256", secret, "", info, bytes));
  const key = derive(purpose, 32);
  const keyId = `${Buffer.from(derive(`${purpose} key name`, NAME_BYTES)).toString("base64url")}.`;
  return {
    keyId,
    seal(value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
      return keyId + Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64");
    },
    open(sealed) {
      if (!sealed.startsWith(keyId)) throw new WrongEncryptionKeyError();
      const bytes = Buffer.from(sealed.slice(keyId.length), "base64");
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
