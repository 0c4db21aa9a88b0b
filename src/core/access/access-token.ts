import { createHmac } from "node:crypto";
import { jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { ReadClaims } from "./claims.ts";

const ISSUED = { algorithm: "HS256", audience: "api" } as const;
const HEADER = Buffer.from(JSON.stringify({ alg: ISSUED.algorithm, typ: "JWT" })).toString("base64url");
/** Verified tokens kept, by their size in characters: about 8,000 tokens of the usual 600. */
const CACHE_CHARACTERS = 5_000_000;

/** The claims of an access token (rules 6.7). Anything else signed by the service has another `aud`. */
export type AccessTokenClaims = z.output<typeof ReadClaims>;

export interface AccessTokens {
  /** Signs a token that lives for the configured time. */
  sign(claims: Omit<AccessTokenClaims, "exp">): string;
  /** The claims of a valid token of this service, or null. Makes no query. */
  verify(token: string): AccessTokenClaims | null | Promise<AccessTokenClaims | null>;
}

/**
 * Access tokens by HS256. WebCrypto, which jose works with, takes ten times as long for one HMAC as the rest of
 * a small request. Verification stays with jose: a token is used many times in its 15 minutes, so valid ones are
 * cached until they expire. Signing cannot be cached and involves no checks, so it is implemented here.
 */
export function accessTokens(options: {
  secret: string;
  issuer: string;
  lifetimeSeconds: number;
}): AccessTokens {
  const key = new TextEncoder().encode(options.secret);
  const verified = new LRUCache<string, AccessTokenClaims>({
    maxSize: CACHE_CHARACTERS,
    sizeCalculation: (_claims, token) => token.length,
  });

  async function verifyAnew(token: string): Promise<AccessTokenClaims | null> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ISSUED.algorithm],
        issuer: options.issuer,
        audience: ISSUED.audience,
        requiredClaims: ["sub", "sid", "iat", "exp"],
      });
      const claims = ReadClaims.parse(payload);
      verified.set(token, claims);
      return claims;
    } catch {
      return null;
    }
  }

  return {
    sign(claims) {
      const iat = Math.floor(Date.now() / 1000);
      const issued = {
        ...claims,
        iss: options.issuer,
        aud: ISSUED.audience,
        iat,
        exp: iat + options.lifetimeSeconds,
      };
      const signed = `${HEADER}.${Buffer.from(JSON.stringify(issued)).toString("base64url")}`;
      return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
    },
    verify(token) {
      const known = verified.get(token);
      if (known === undefined) return verifyAnew(token);
      if (known.exp * 1000 > Date.now()) return known;
      verified.delete(token);
      return null;
    },
  };
}
