import type { Tx } from "../../core/context.ts";
import { auditAfterCommit } from "../../core/effects/audit.ts";
import { issueChallenge } from "../../core/people/challenges.ts";
import { type Session, startSession } from "./start.ts";

/** Stands in for a session until the second factor is there. */
export type Challenge = { challengeToken: string };

/** The account, as read under its lock: a second factor that is turned on meanwhile must not be missed. */
type SignInUser = {
  id: string;
  isPlatformAdmin: boolean;
  hasTwoFactor: boolean;
};

/**
 * What every sign-in ends with, whatever proved who it is (a password, a third party): a session, or, where
 * two-factor authentication is on, a challenge that `POST /api/auth/2fa/verify` completes. Nothing else but that
 * route starts sessions, so no way in leads past the second factor. Under the locks of `lockForSignIn`, with the
 * user read after them (`findCredentials` of sql/accounts) and known to be verified.
 */
export async function signIn(tx: Tx, user: SignInUser, cookie: string | null): Promise<Session | Challenge> {
  if (user.hasTwoFactor) return { challengeToken: await issueChallenge(tx, user.id) };
  return completeSignIn(tx, user, cookie);
}

/** Starts the session once every factor is there. For `signIn`, and for what takes the second factor. */
export async function completeSignIn(tx: Tx, user: SignInUser, cookie: string | null): Promise<Session> {
  const session = await startSession(tx, user, cookie);
  const target = { type: "user", id: user.id } as const;
  auditAfterCommit(tx, "LOGIN_SUCCEEDED", { actorId: user.id, target, metadata: {} });
  return session;
}

export const isChallenge = (outcome: Session | Challenge): outcome is Challenge =>
  "challengeToken" in outcome;
