import { auditAfterCommit, type Tx } from "#kit";
import { type Proof, proofOf } from "../../core/access/proofs.ts";
import { issueChallenge } from "../../core/accounts/challenges.ts";
import { listSecondFactors, type SecondFactorMethod } from "../../core/accounts/passkey-options.ts";
import { type Session, startSession } from "./start.ts";

/** The result of a sign-in if the second factor is still missing. */
export type Challenge = { challengeToken: string; methods: SecondFactorMethod[] };

/**
 * The account, as read under its lock. Read earlier, it could miss a second factor that is being enabled
 * concurrently.
 */
type SignInUser = {
  id: string;
  isPlatformAdmin: boolean;
  hasTwoFactor: boolean;
};

/**
 * Finishes every sign-in, after the proof by a password, passkey or third party. Returns a session or, if
 * two-factor authentication is on and was not proven, a challenge that `POST /api/auth/2fa/verify` completes. Only
 * this function and that route start sessions, so no sign-in can bypass the second factor. Call under the locks of
 * `lockForSignIn`, with a verified user that was read after them (`findCredentials` of sql/people/accounts.sql).
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

/** Starts the session after every factor was verified. Called by `signIn`, and after the second factor. */
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
