import { CompactSign, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { ReadClaims } from "./claims.ts";
import type { SigningKeys } from "./signing-keys.ts";

const AUDIENCE = "api";
const TYPE = "JWT";
/**
 * The maximum total size of the cached access tokens in characters: about 8,000 tokens of the usual 600 characters.
 */
const CACHE_CHARACTERS = 5_000_000;

/**
 * The claims of an access token (rules 6.7). The audience (`aud`) distinguishes access tokens from other tokens of
 * the service.
 */
export type AccessTokenClaims = z.output<typeof ReadClaims>;

export interface AccessTokens {
  /** Signs an access token that is valid for the configured time, or until `endsAt` if that is earlier. */
  sign(claims: Omit<AccessTokenClaims, "exp">, endsAt?: Date | null): Promise<string>;
  /**
   * Returns the claims of a valid access token of this service; null for any other token. Runs no query. A token
   * that was verified before costs only a cache look-up.
   */
  verify(token: string): AccessTokenClaims | null | Promise<AccessTokenClaims | null>;
  /** Like `verify`, and tells a token that has expired from one that never was valid. */
  inspect(token: string): Promise<AccessTokenClaims | "EXPIRED" | "INVALID">;
}

/**
 * Creates and verifies access tokens (RFC 7519): by ES256 if there is a signing key, otherwise by HS256. The key is chosen by
 * a token's `kid` and fixes the algorithm, whatever its header says (RFC 8725 3.1). A token is used many times in its 15
 * minutes, so valid tokens are cached (docs/decisions/0006).
 */
export async function accessTokens(options: {
  secret: string;
  /** A previous secret; its signatures are still accepted. */
  previousSecret: string | null;
  /** Whether tokens that are signed by a secret are accepted. */
  acceptHs256: boolean;
  signingKeys: SigningKeys;
  issuer: string;
  lifetimeSeconds: number;
}): Promise<AccessTokens> {
  const { secret, previousSecret, acceptHs256, signingKeys, issuer, lifetimeSeconds } = options;
  const key = await hmacKey(secret);
  const secrets = previousSecret === null ? [key] : [key, await hmacKey(previousSecret)];
  const signing = signingKeys.current ?? { key, kid: undefined };
  const header =
    signing.kid === undefined ? { alg: "HS256", typ: TYPE } : { alg: "ES256", typ: TYPE, kid: signing.kid };

  /** Returns the keys that may have signed a token, and their algorithm; null if none can. */
  function keysFor(token: string): { keys: CryptoKey[]; algorithm: string } | null {
    const found = headerOf(token);
    if (found === null) return null;
    const { kid } = found;
    if (kid === undefined) return acceptHs256 ? { keys: secrets, algorithm: "HS256" } : null;
    const published = signingKeys.accepted.get(kid);
    return published === undefined ? null : { keys: [published], algorithm: "ES256" };
  }
  const verified = new LRUCache<string, AccessTokenClaims>({
    maxSize: CACHE_CHARACTERS,
    sizeCalculation: (_claims, token) => token.length,
  });

  async function inspect(token: string): Promise<AccessTokenClaims | "EXPIRED" | "INVALID"> {
    const known = verified.get(token);
    if (known !== undefined) return known.exp * 1000 > Date.now() ? known : "EXPIRED";
    const candidates = keysFor(token);
    if (candidates === null) return "INVALID";
    const payload = await verifiedPayload(token, candidates, issuer);
    if (payload === "EXPIRED") return payload;
    const { success, data } = ReadClaims.safeParse(payload);
    if (!success) return "INVALID";
    verified.set(token, data);
    return data;
  }
  async function verifyNew(token: string): Promise<AccessTokenClaims | null> {
    const found = await inspect(token);
    return typeof found === "string" ? null : found;
  }

  return {
    async sign(claims, endsAt = null) {
      const iat = Math.floor(Date.now() / 1000);
      const lasting = iat + lifetimeSeconds;
      const exp = endsAt === null ? lasting : Math.min(lasting, Math.floor(endsAt.getTime() / 1000));
      const payload = { ...claims, iss: issuer, aud: AUDIENCE, iat, exp };
      // `SignJWT` writes the same token. It copies the claims with `structuredClone` first, which takes more than half
      // of the time of a signature.
      const token = await new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader(header)
        .sign(signing.key);
      // The instance that signed a token need not verify it, which takes longer than signing by ES256.
      verified.set(token, { ...claims, exp });
      return token;
    },
    verify(token) {
      const known = verified.get(token);
      if (known === undefined) return verifyNew(token);
      if (known.exp * 1000 > Date.now()) return known;
      verified.delete(token);
      return null;
    },
    inspect,
  };
}

/** Imports a key once per secret: an imported key saves a third of the cost of each signature. */
const hmacKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", Buffer.from(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);

const HEADER = new Set(["alg", "typ", "kid"]);

/** Returns the header of a token; null if it is malformed, or names keys or extensions (`jwk`, `jku`, `x5u`, `crit`). */
function headerOf(token: string): { kid?: string } | null {
  try {
    const header = decodeProtectedHeader(token);
    return Object.keys(header).every((name) => HEADER.has(name)) ? (header as { kid?: string }) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the payload of a token that is valid now and was signed for this service with one of the keys; null for
 * any other token, and `EXPIRED` for one that was valid.
 */
async function verifiedPayload(
  token: string,
  { keys, algorithm }: { keys: CryptoKey[]; algorithm: string },
  issuer: string,
): Promise<JWTPayload | "EXPIRED" | null> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        typ: TYPE,
        issuer,
        audience: AUDIENCE,
        requiredClaims: ["iat", "exp"],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return "EXPIRED";
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return null;
    }
  }
  return null;
}
