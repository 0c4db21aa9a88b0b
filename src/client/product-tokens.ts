import { bytesOf, partOf, readToken } from "./claims.ts";
import { type Caller, callerOf, type Refused, refused } from "./product-caller.ts";
import type { Schemas } from "./types.ts";

const ALGORITHM = { name: "ECDSA", hash: "SHA-256" };
const LEEWAY_SECONDS = 30;

/** How many verified tokens are kept. A user has one for 15 minutes, and sends it with every request. */
const KEPT_TOKENS = 2_000;

/** What a token says, and the key that it was verified by. */
type Verified = { kid: string; key: CryptoKey; endsAt: number; answer: Caller | Refused | null };

/**
 * Creates the function that verifies an access token by its signature alone. It returns null for a good token without
 * room for all units, for which only the service knows the answer. Decoding and verifying a token again would take
 * half a millisecond, so verified ones are kept while their key is in the set.
 * @param keyOf returns the public key with an id, and rejects if there is no set of keys
 */
export function createVerifier(
  keyOf: (kid: string) => Promise<CryptoKey | undefined>,
  issuer: string,
  now: () => number,
) {
  const kept = new Map<string, Verified>();

  return async (token: string): Promise<Caller | Refused | null> => {
    let verified = kept.get(token) ?? null;
    const kid = verified?.kid ?? keyIdOf(token);
    const key = kid === null ? undefined : await keyOf(kid);
    if (kid === null || !key) return refused("INVALID");
    if (verified?.key !== key) {
      verified = await read(token, kid, key, issuer);
      if (verified === null) return refused("INVALID");
      if (kept.size >= KEPT_TOKENS) kept.clear();
      kept.set(token, verified);
    }
    return verified.endsAt <= now() ? refused("EXPIRED") : verified.answer;
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

/** Returns what a token says; null if its signature is bad, or if it is no access token of this issuer. */
async function read(token: string, kid: string, key: CryptoKey, issuer: string): Promise<Verified | null> {
  const [, signed = "", signature = ""] = /^([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  try {
    const bytes = new TextEncoder().encode(signed);
    if (!(await crypto.subtle.verify(ALGORITHM, key, bytesOf(signature), bytes))) return null;
    const payload = partOf(token, 1) as Schemas["AccessTokenClaims"];
    const { iss, aud, exp } = payload;
    if (iss !== issuer || aud !== "api" || !Number.isFinite(exp)) return null;
    return { kid, key, endsAt: (exp + LEEWAY_SECONDS) * 1000, answer: answerOf(token, payload) };
  } catch {
    // What cannot be decoded is no access token.
    return null;
  }
}

/** Returns the caller of a verified token. */
function answerOf(token: string, payload: Schemas["AccessTokenClaims"]): Caller | Refused | null {
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
