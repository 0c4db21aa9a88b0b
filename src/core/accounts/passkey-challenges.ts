import { createHash } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import * as queries from "#sql/people/passkeys";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import type { App, Tx } from "../context.ts";
import { memoizePerApp } from "../memoize-per-app.ts";

/*
 * Challenges of WebAuthn (rules 34.3). A challenge is sent to the browser and back in a signed token, so it needs
 * no row. Once it was used, its digest is stored until it expires, so that it can be used only once.
 */

const AUDIENCE = "webauthn";
const LIFETIME_SECONDS = 300;

/** The purpose of a challenge, and the user and session it was issued to. At sign-in the user is not known yet. */
export type ChallengeScope =
  | { purpose: "sign-in" }
  | { purpose: "register" | "reauthenticate"; userId: string; sessionId: string };

export type IssuedChallenge = { challengeToken: string; challenge: string };

const keysOf = memoizePerApp(({ config: { jwtSecret, jwtSecretPrevious } }) =>
  [jwtSecret, jwtSecretPrevious].flatMap((secret) =>
    secret === null ? [] : [new TextEncoder().encode(secret)],
  ),
);

/** Creates a challenge of 32 random bytes, with a token that is valid for five minutes. */
export async function issueChallengeToken(app: App, scope: ChallengeScope): Promise<IssuedChallenge> {
  const challenge = newToken();
  const [key] = keysOf(app);
  const challengeToken = await new SignJWT({ ...claimsOf(scope), challenge })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(app.config.appUrl)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(key ?? new Uint8Array());
  return { challengeToken, challenge };
}

/** Returns the challenge in a token if the token is valid for this purpose, user and session; otherwise null. */
export async function readChallengeToken(
  app: App,
  token: string,
  scope: ChallengeScope,
): Promise<string | null> {
  for (const key of keysOf(app)) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ["HS256"],
        issuer: app.config.appUrl,
        audience: AUDIENCE,
        requiredClaims: ["iat", "exp"],
      });
      const isExpected = Object.entries(claimsOf(scope)).every(([name, value]) => payload[name] === value);
      return isExpected && typeof payload.challenge === "string" ? payload.challenge : null;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return null;
    }
  }
  return null;
}

const claimsOf = (scope: ChallengeScope) => ({
  purpose: scope.purpose,
  ...("userId" in scope && { sub: scope.userId, sid: scope.sessionId }),
});

/**
 * Marks a challenge as used, which takes effect when the transaction commits. Returns false if it was used before.
 */
export async function useChallengeOnce(tx: Tx, challenge: string): Promise<boolean> {
  return (await queries.useWebauthnChallenge.run({ digest: tokenHash(challenge) }, tx.db)).length > 0;
}

/**
 * Whether a challenge was used. Call under the user's lock, before an assertion is verified: a repeated assertion
 * has an old counter, and would block a device-bound passkey as if it had been copied.
 */
export async function isChallengeUsed(tx: Tx, challenge: string): Promise<boolean> {
  return (await queries.findUsedWebauthnChallenge.run({ digest: tokenHash(challenge) }, tx.db)).length > 0;
}

/**
 * Derives the WebAuthn challenge for the second factor from the sign-in challenge's token, so that both expire
 * together.
 */
export const challengeOfSecondStep = (challengeToken: string): string =>
  createHash("sha256").update(`webauthn second factor: ${challengeToken}`).digest("base64url");
