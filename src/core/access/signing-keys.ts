import { calculateJwkThumbprint, exportJWK, importJWK, importPKCS8 } from "jose";
import type { SigningKeyConfig } from "./signing-key-config.ts";

const ALGORITHM = "ES256";

/** A key of the set that is published for verifiers (RFC 7517). */
export type PublishedKey = {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  use: "sig";
  alg: typeof ALGORITHM;
  /** The thumbprint of the key (RFC 7638). */
  kid: string;
};

export type SigningKeys = {
  /** The key that signs; null if access tokens are signed by a secret. */
  current: { kid: string; key: CryptoKey } | null;
  /** The keys that verify, by their ids. */
  accepted: ReadonlyMap<string, CryptoKey>;
  /** The public keys: current, next, previous. */
  published: readonly PublishedKey[];
};

/**
 * Imports the configured keys.
 * @throws Error with the name of a variable whose value is no private key of P-256, or is one of the others
 */
export async function openSigningKeys({
  current,
  next,
  previous,
}: SigningKeyConfig["signingKeys"]): Promise<SigningKeys> {
  const read = {
    JWT_SIGNING_KEY: current && (await imported("JWT_SIGNING_KEY", current)),
    JWT_SIGNING_KEY_NEXT: next && (await imported("JWT_SIGNING_KEY_NEXT", next)),
    JWT_SIGNING_KEY_PREVIOUS: previous && (await imported("JWT_SIGNING_KEY_PREVIOUS", previous)),
  };
  const accepted = new Map<string, CryptoKey>();
  const published: PublishedKey[] = [];
  for (const [name, key] of Object.entries(read)) {
    if (!key) continue;
    if (accepted.has(key.jwk.kid)) throw new Error(`${name} must differ from the other signing keys`);
    accepted.set(key.jwk.kid, key.verifying);
    published.push(key.jwk);
  }
  const signing = read.JWT_SIGNING_KEY;
  return { current: signing ? { kid: signing.jwk.kid, key: signing.signing } : null, accepted, published };
}

async function imported(name: string, text: string) {
  try {
    const signing = text.includes("BEGIN PRIVATE KEY")
      ? await importPKCS8(text, ALGORITHM, { extractable: true })
      : ((await importJWK({ ...JSON.parse(text), key_ops: ["sign"] }, ALGORITHM, {
          extractable: true,
        })) as CryptoKey);
    const { x = "", y = "" } = await exportJWK(signing);
    const bare = { kty: "EC", crv: "P-256", x, y } as const;
    const jwk: PublishedKey = {
      ...bare,
      use: "sig",
      alg: ALGORITHM,
      kid: await calculateJwkThumbprint(bare),
    };
    return { signing, verifying: (await importJWK(bare, ALGORITHM)) as CryptoKey, jwk };
  } catch {
    // The cause is not passed on: its message may contain parts of the key.
    throw new Error(`${name} is no private key of P-256`);
  }
}
