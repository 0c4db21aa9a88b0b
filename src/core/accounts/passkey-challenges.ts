import { createHash } from "node:crypto";
import * as queries from "#sql/people/passkeys";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import type { App, Tx } from "../context.ts";
import { readSignedToken, signToken } from "../signed-tokens.ts";

/*
 * Challenges of WebAuthn (rules 34.3). A challenge is sent to the browser and back in a signed token, so it needs
 * no row. Once it was used, its digest is stored until it expires, so that it can be used only once.
 */

const LIFETIME_MS = 300_000;

/** The purpose of a challenge, and the user and session it was issued to. At sign-in the user is not known yet. */
export type ChallengeScope =
  | { purpose: "sign-in" }
  | { purpose: "register" | "reauthenticate"; userId: string; sessionId: string };

export type IssuedChallenge = { challengeToken: string; challenge: string };

const kindOf = ({ config }: App) => ({ issuer: config.appUrl, audience: "webauthn" });

/** Creates a challenge of 32 random bytes, with a token that is valid for five minutes. */
export async function issueChallengeToken(app: App, scope: ChallengeScope): Promise<IssuedChallenge> {
  const challenge = newToken();
  const expiresAt = new Date(Date.now() + LIFETIME_MS);
  const challengeToken = await signToken(app, kindOf(app), { ...claimsOf(scope), challenge }, expiresAt);
  return { challengeToken, challenge };
}

/** Returns the challenge in a token if the token is valid for this purpose, user and session; otherwise null. */
export async function readChallengeToken(
  app: App,
  token: string,
  scope: ChallengeScope,
): Promise<string | null> {
  const claims = await readSignedToken(app, kindOf(app), token);
  if (claims === null) return null;
  const isExpected = Object.entries(claimsOf(scope)).every(([name, value]) => claims[name] === value);
  return isExpected && typeof claims.challenge === "string" ? claims.challenge : null;
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
