import { bytesOf, partOf, readToken } from "./claims.ts";
import { type Caller, callerOf, type Refused, refused } from "./product-caller.ts";
import type { Schemas } from "./types.ts";

const ALGORITHM = { name: "ECDSA", hash: "SHA-256" };
const LEEWAY_SECONDS = 30;

/**
 * Creates the function that verifies an access token by its signature alone. It returns null for a good token without
 * room for all units, for which only the service knows the answer.
 * @param keyOf returns the public key with an id, and rejects if there is no set of keys
 */
export function createVerifier(
  keyOf: (kid: string) => Promise<CryptoKey | undefined>,
  issuer: string,
  now: () => number,
) {
  return async (token: string): Promise<Caller | Refused | null> => {
    const kid = keyIdOf(token);
    const key = kid === null ? undefined : await keyOf(kid);
    if (!key) return refused("INVALID");
    try {
      if (await isSigned(token, key)) return callerOfToken(token, issuer, now() / 1000);
    } catch {
      // What cannot be decoded is no access token.
    }
    return refused("INVALID");
  };
}

/**
 * Returns the id of the key that signed a token; null if the header is not that of an access token. A header with
 * anything else is refused: it could name a key of its own (`jwk`, `jku`, `x5u`) or an extension (`crit`).
 */
function keyIdOf(token: string): string | null {
  try {
    const { alg, typ, kid, ...others } = partOf(token, 0) as Record<string, unknown>;
    const isExpected = alg === "ES256" && typ === "JWT" && typeof kid === "string";
    return isExpected && Object.keys(others).length === 0 ? kid : null;
  } catch {
    return null;
  }
}

function isSigned(token: string, key: CryptoKey): Promise<boolean> {
  const [, signed = "", signature = ""] = /^([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  return crypto.subtle.verify(ALGORITHM, key, bytesOf(signature), new TextEncoder().encode(signed));
}

/** Returns the caller of a token whose signature is good. */
function callerOfToken(token: string, issuer: string, seconds: number): Caller | Refused | null {
  const payload = partOf(token, 1) as Schemas["AccessTokenClaims"];
  if (payload.iss !== issuer || payload.aud !== "api" || !Number.isFinite(payload.exp))
    return refused("INVALID");
  if (payload.exp + LEEWAY_SECONDS <= seconds) return refused("EXPIRED");
  const { claims } = readToken(token);
  const { userId, isPlatformAdmin, organization, permissions, unitGrants } = claims;
  if (claims.mustEnableTwoFactor) return refused("TWO_FACTOR_REQUIRED");
  if (!organization) return refused("NO_ORGANIZATION");
  if (!unitGrants || unitGrants.some(({ units }) => units === null)) return null;
  const { auth_time } = payload;
  const known = {
    actor: { type: "user" as const, id: userId, isPlatformAdmin },
    organization,
    authenticatedAt: auth_time === undefined ? null : new Date(auth_time * 1000).toISOString(),
  };
  return callerOf(known, { permissions, unitGrants });
}
