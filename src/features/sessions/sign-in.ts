import type { Tx } from "#kit";
import { auditAfterCommit, serializationFailure } from "#kit/inside";
import * as access from "#sql/access";
import { type Proof, proofOf, type SsoProof } from "../../core/access/proofs.ts";
import { listSecondFactors, type SecondFactorMethod } from "../../core/accounts/passkey-options.ts";
import { type FirstFactor, issueChallenge } from "../../core/accounts/second-factor.ts";
import { alertOfNewSignIn } from "../front-door/alert.ts";
import { lockSessionOf, rotate } from "./refresh.ts";
import { type Session, startSession } from "./start.ts";

/** The result of a sign-in if the second factor is still missing. */
export type Challenge = { challengeToken: string; methods: SecondFactorMethod[] };

/**
 * The account, as read under its lock. Read earlier, it could miss a second factor that is being enabled
 * concurrently.
 */
type SignInUser = {
  id: string;
  email: string;
  language: "EL" | "EN";
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
  first: FirstFactor & { firstFactor: "password" | "provider"; cookie: string | null },
): Promise<Session | Challenge> {
  if (user.hasTwoFactor)
    return {
      challengeToken: await issueChallenge(tx, user.id, first),
      methods: await listSecondFactors(tx, user.id),
    };
  const { firstFactor, provider = null, cookie } = first;
  return completeSignIn(tx, user, { proof: proofOf(firstFactor), provider, cookie });
}

/**
 * Starts the session after every factor was verified. Called by `signIn`, after the second factor, and for a sign-in by a
 * connection, which joins the session of the same account in this browser. `provider` is the key of the sign-in provider, if
 * there was one.
 */
export async function completeSignIn(
  tx: Tx,
  user: SignInUser,
  {
    proof,
    provider = null,
    cookie,
  }: { proof: Proof | SsoProof; provider?: string | null; cookie: string | null },
): Promise<Session> {
  const joined = proof.kind === "sso" ? await joinSession(tx, user.id, { proof, cookie }) : null;
  const session = joined ?? (await startSession(tx, user, { proof, cookie }));
  await alertOfNewSignIn(tx, user, { sessionId: session.sessionId, method: proof.kind, provider });
  const target = { type: "user", id: user.id } as const;
  const by = proof.kind === "sso" ? { connectionId: proof.connectionId } : {};
  auditAfterCommit(tx, "LOGIN_SUCCEEDED", { actorId: user.id, target, metadata: { amr: proof.amr, ...by } });
  return session;
}

export const isChallenge = (outcome: Session | Challenge): outcome is Challenge =>
  "challengeToken" in outcome;

/**
 * Adds a proof by a connection to the live session of the same account in this browser, and continues it in the
 * connection's organization with a new cookie. Returns null if the browser has no such session. Call under the locks of
 * `lockForSignIn`.
 */
async function joinSession(
  tx: Tx,
  userId: string,
  { proof, cookie }: { proof: SsoProof; cookie: string | null },
): Promise<Session | null> {
  const live = await lockSessionOf(tx, cookie, userId);
  if (cookie === null || live === null) return null;
  const { organizationId, ...shown } = proof;
  const { sessionId } = live;
  const [recorded] = await access.recordProof.run({ userId, sessionId, ...shown }, tx.db);
  const session = recorded && (await rotate(tx, cookie, { preferredId: organizationId }));
  // The end of an organization takes no lock of the user, and may have ended the session meanwhile.
  if (!session) throw serializationFailure();
  return session;
}
