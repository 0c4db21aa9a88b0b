import { newToken, type Tx, tokenHash } from "#kit";
import { ssoHoursOf } from "#kit/inside";
import * as sessions from "#sql/sessions";
import { type ActiveOrganization, activeOrganizationOf } from "../../core/access/active-organization.ts";
import { type Proof, type SessionProof, type SsoProof, sessionProofOf } from "../../core/access/proofs.ts";

/**
 * The seconds during which a replaced refresh token still gets an access token, for browser tabs that refresh at
 * the same time (rules 5.7).
 */
export const REFRESH_GRACE_SECONDS = 30;

/** A session that was started or continued: the data for its cookie and its access token. */
export type Session = {
  userId: string;
  sessionId: string;
  isPlatformAdmin: boolean;
  hasTwoFactor: boolean;
  proof: SessionProof;
  /** Until when the proofs count by which the session acts in its organization; null if for ever. */
  endsAt: Date | null;
  /** Whether a break-glass member acts by own proofs although the policy asks for single sign-on. */
  breaksGlass: boolean;
  activeOrganization: ActiveOrganization;
  /** The token of the refresh cookie; null if the response must carry no cookie. */
  refreshToken: string | null;
};

/**
 * Takes the locks of a sign-in: of the user (null if the account does not exist yet), and of the user who was
 * signed in before in this browser.
 */
export async function lockForSignIn(tx: Tx, userId: string | null, cookie: string | null): Promise<void> {
  const hash = cookie === null ? null : tokenHash(cookie);
  await sessions.lockForSignIn.run({ userId, tokenHash: hash }, tx.db);
}

/**
 * Starts a session (rules 5.5). Ends the session of the cookie in the request if it is live. Deletes expired rows,
 * and the oldest sessions above the limit. Call under the locks of `lockForSignIn`.
 */
export async function startSession(
  tx: Tx,
  user: { id: string; isPlatformAdmin: boolean; hasTwoFactor: boolean },
  { proof, cookie }: { proof: Proof | SsoProof; cookie: string | null },
): Promise<Session> {
  if (cookie !== null) {
    const ended = { tokenHash: tokenHash(cookie), graceSeconds: REFRESH_GRACE_SECONDS };
    await sessions.deleteSessionOfBrowser.run(ended, tx.db);
  }

  const refreshToken = newToken();
  const rows = await sessions.insertSession.run(
    {
      userId: user.id,
      tokenHash: tokenHash(refreshToken),
      lifetimeDays: tx.app.config.refreshTokenDays,
      ip: tx.ip,
      userAgent: tx.userAgent,
      ssoHours: ssoHoursOf(tx.app.config),
      ...proof,
    },
    tx.db,
  );
  await enforceCap(tx, user.id);
  const [session] = rows;
  if (session === undefined) throw new Error("No session came of an insert");
  return {
    userId: user.id,
    sessionId: session.sessionId,
    isPlatformAdmin: user.isPlatformAdmin,
    hasTwoFactor: user.hasTwoFactor,
    proof: sessionProofOf(session),
    endsAt: session.endsAt,
    breaksGlass: session.breaksGlass,
    activeOrganization: await activeOrganizationOf(rows, tx.db),
    refreshToken,
  };
}

/** Deletes the oldest sessions of a user above the limit, and expired rows. Call under the user's lock. */
export async function enforceCap(tx: Tx, userId: string): Promise<void> {
  const max = tx.app.config.maxSessionsPerUser;
  await sessions.deleteExcessSessions.run({ userId, max }, tx.db);
}
