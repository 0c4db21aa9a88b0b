import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { ReadClaims } from "./claims.ts";

const AUDIENCE = "api";
const HEADER = `${Buffer.from(JSON.stringify({ alg: "HS256", typ: "JWT" })).toString("base64url")}.`;
/** Verified tokens kept, by their size in characters: about 8,000 tokens of the usual 600. */
const CACHE_CHARACTERS = 5_000_000;

/** The claims of an access token (rules 6.7). Anything else signed by the service has another `aud`. */
export type AccessTokenClaims = z.output<typeof ReadClaims>;

/**
 * All that a token must say: what makes it an access token (RFC 7519 4.1), and its claims. In one schema, because two
 * took twice as long on the first request with a token.
 */
const SignedClaims = ReadClaims.extend({
  iss: z.string(),
  aud: z.literal(AUDIENCE),
  iat: z.number(),
  nbf: z.number().optional(),
});

export interface AccessTokens {
  /** Signs a token that lives for the configured time. */
  sign(claims: Omit<AccessTokenClaims, "exp">): string;
  /** The claims of a valid token of this service, or null. Makes no query. */
  verify(token: string): AccessTokenClaims | null;
}

/**
 * Access tokens by HS256. A token must have exactly the header that is written here, so it cannot choose the algorithm
 * (RFC 8725 3.1). One HMAC of node:crypto signs and verifies: WebCrypto, which jose works with, takes ten times as long
 * for it as the rest of a small request. A token is used many times in its 15 minutes, so valid ones are cached.
 */
export function accessTokens(options: {
  secret: string;
  /** Whose signatures are good, too. */
  previousSecret: string | null;
  issuer: string;
  lifetimeSeconds: number;
}): AccessTokens {
  const key = createSecretKey(options.secret, "utf8");
  const previous = options.previousSecret === null ? null : createSecretKey(options.previousSecret, "utf8");
  const signatureOf = (signed: string, by = key) =>
    createHmac("sha256", by).update(signed).digest("base64url");
  const verified = new LRUCache<string, AccessTokenClaims>({
    maxSize: CACHE_CHARACTERS,
    sizeCalculation: (_claims, token) => token.length,
  });

  function verifyAnew(token: string): AccessTokenClaims | null {
    const end = token.lastIndexOf(".");
    if (!token.startsWith(HEADER) || end < HEADER.length) return null;
    const [signed, signature] = [token.slice(0, end), token.slice(end + 1)];
    const isSigned =
      isSame(signatureOf(signed), signature) ||
      (previous !== null && isSame(signatureOf(signed, previous), signature));
    if (!isSigned) return null;
    const claims = claimsOf(token.slice(HEADER.length, end), options.issuer);
    if (claims !== null) verified.set(token, claims);
    return claims;
  }

  return {
    sign(claims) {
      const iat = Math.floor(Date.now() / 1000);
      const issued = {
        ...claims,
        iss: options.issuer,
        aud: AUDIENCE,
        iat,
        exp: iat + options.lifetimeSeconds,
      };
      const signed = HEADER + Buffer.from(JSON.stringify(issued)).toString("base64url");
      return `${signed}.${signatureOf(signed)}`;
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

/** In the same time wherever two signatures differ. */
function isSame(signature: string, sent: string): boolean {
  const [one, other] = [Buffer.from(signature), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** What a payload says whose signature is good; null where it is of another purpose or issuer, or not for now. */
function claimsOf(payload: string, issuer: string): AccessTokenClaims | null {
  try {
    const signed = SignedClaims.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
    const { iss, aud: _aud, iat: _iat, nbf = 0, ...claims } = signed;
    const now = Date.now() / 1000;
    return iss === issuer && claims.exp > now && nbf <= now ? claims : null;
  } catch {
    return null;
  }
}
