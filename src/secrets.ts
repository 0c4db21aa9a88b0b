import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/** 32 random bytes in base64url: the secret of a link or a cookie (specification 5.1.5). */
export const newToken = () => randomBytes(32).toString("base64url");

/** The SHA-256 digest, in hexadecimal, by which a token is stored and found. */
export const tokenHash = (token: string) => createHash("sha256").update(token).digest("hex");

/** Keeps small values so that only holders of the key can read or forge them. */
export interface Box {
  seal(value: unknown): string;
  /** @throws when the value was sealed with another key, or was changed. */
  open(sealed: string): unknown;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key derived from `secret` by HKDF; `purpose` keeps the boxes of one secret apart. */
export function box(secret: string, purpose: string): Box {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
  return {
    seal(value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
      return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
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
