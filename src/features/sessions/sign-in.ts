import { type Proof, proofOf } from "../../core/access/proofs.ts";
import { issueChallenge } from "../../core/accounts/challenges.ts";
import { listSecondFactors, type SecondFactorMethod } from "../../core/accounts/passkey-options.ts";
import type { Tx } from "../../core/context.ts";
import { auditAfterCommit } from "../../core/effects/audit.ts";
import { type Session, startSession } from "./start.ts";

/** The result of a sign-in with only the first factor, instead of a session. */
export type Challenge = { challengeToken: string; methods: SecondFactorMethod[] };

/** The account, as read under its lock: a second factor that is enabled concurrently must not be missed. */
type SignInUser = {
  id: string;
  isPlatformAdmin: boolean;
  hasTwoFactor: boolean;
};

/**
 * Finishes every sign-in, after the proof by a password or a third party. Returns a session, or, if two-factor
 * authentication is on, a challenge that `POST /api/auth/2fa/verify` completes. Only these two start sessions, so
 * that no sign-in bypasses the second factor. Call under the locks of `lockForSignIn`, with the user read after them
 * (`findCredentials` of sql/people/accounts.sql) and verified.
 */
export async function signIn(
  tx: Tx,
  user: SignInUser,
  { firstFactor, cookie }: { firstFactor: "password" | "provider"; cookie: string | null },
): Promise<Session | Challenge> {
  if (user.hasTwoFactor)
    return {
      challengeToken: await issueChallenge(tx, user.id, firstFactor),
      methods: await listSecondFactors(tx, user.id),
    };
  return completeSignIn(tx, user, { proof: proofOf(firstFactor), cookie });
}

/** Starts the session once every factor is verified. Called by `signIn`, and after the second factor. */
export async function completeSignIn(
  tx: Tx,
  user: SignInUser,
  { proof, cookie }: { proof: Proof; cookie: string | null },
): Promise<Session> {
  const session = await startSession(tx, user, { proof, cookie });
  const target = { type: "user", id: user.id } as const;
  auditAfterCommit(tx, "LOGIN_SUCCEEDED", { actorId: user.id, target, metadata: { amr: proof.amr } });
  return session;
}

export const isChallenge = (outcome: Session | Challenge): outcome is Challenge =>
  "challengeToken" in outcome;
