import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { App } from "./context.ts";
import { memoizePerApp } from "./memoize-per-app.ts";

/*
 * Signs and verifies tokens that are valid for minutes and need no row in the database. A feature that accepts a token only once
 * stores that it was used.
 */

/** Who issues a kind of token, and for what. A token of one kind is none of another. */
type Kind = { issuer: string; audience: string };

const keysOf = memoizePerApp(({ config: { jwtSecret, jwtSecretPrevious } }) =>
  [jwtSecret, jwtSecretPrevious].flatMap((secret) =>
    secret === null ? [] : [new TextEncoder().encode(secret)],
  ),
);

/** Signs claims with the current key. */
export function signToken(
  app: App,
  { issuer, audience }: Kind,
  claims: JWTPayload,
  expiresAt: Date,
): Promise<string> {
  const [key = new Uint8Array()] = keysOf(app);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(key);
}

/** Returns the claims of a token of this kind; null for every other token, and for one that has expired. */
export async function readSignedToken(app: App, kind: Kind, token: string): Promise<JWTPayload | null> {
  for (const key of keysOf(app)) {
    try {
      const required = { algorithms: ["HS256"], requiredClaims: ["iat", "exp"] };
      return (await jwtVerify(token, key, { ...required, ...kind })).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return null;
    }
  }
  return null;
}
