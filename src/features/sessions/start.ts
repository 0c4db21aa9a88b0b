import * as sessions from "#sql/sessions";
import { type ActiveOrganization, activeOrganizationOf } from "../../core/access/active-organization.ts";
import type { Tx } from "../../core/context.ts";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import { awaitAll } from "../../platform/db/await-all.ts";
import { REFRESH_GRACE_SECONDS } from "./grace.ts";

/** A session that was started or continued: what its cookie and its access token are made of. */
export type Session = {
  userId: string;
  sessionId: string;
  isPlatformAdmin: boolean;
  hasTwoFactor: boolean;
  activeOrganization: ActiveOrganization;
  /** Null where the response must carry no cookie. */
  refreshToken: string | null;
};

/**
 * Takes the locks that a sign-in needs: the user's, null for one who is yet to be made, and that of whoever the browser
 * was signed in as until now. They travel with what is read next (see `src/core/locks.ts`).
 */
export async function lockForSignIn(tx: Tx, userId: string | null, cookie: string | null): Promise<void> {
  const hash = cookie === null ? null : tokenHash(cookie);
  await sessions.lockForSignIn.run({ userId, tokenHash: hash }, tx.db.unawaited);
}

/**
 * Starts a session (rules 5.5): ends the one whose live cookie came along, clears what has expired, and
 * deletes the oldest sessions beyond the cap. Under the locks of `lockForSignIn`.
 */
export async function startSession(
  tx: Tx,
  user: { id: string; isPlatformAdmin: boolean; hasTwoFactor: boolean },
  cookie: string | null,
): Promise<Session> {
  if (cookie !== null) {
    const held = { tokenHash: tokenHash(cookie), graceSeconds: REFRESH_GRACE_SECONDS };
    await sessions.deleteSessionOfBrowser.run(held, tx.db.unawaited);
  }

  const refreshToken = newToken();
  const inserted = sessions.insertSession.run(
    {
      userId: user.id,
      tokenHash: tokenHash(refreshToken),
      lifetimeDays: tx.app.config.refreshTokenDays,
      ip: tx.ip,
      userAgent: tx.userAgent,
    },
    tx.db,
  );
  const [rows] = await awaitAll(inserted, enforceCap(tx, user.id));
  const [session] = rows;
  if (session === undefined) throw new Error("No session came of an insert");
  return {
    userId: user.id,
    sessionId: session.sessionId,
    isPlatformAdmin: user.isPlatformAdmin,
    hasTwoFactor: user.hasTwoFactor,
    activeOrganization: await activeOrganizationOf(rows, tx.db),
    refreshToken,
  };
}

/** Deletes the oldest sessions of a user beyond the cap, and what has expired. Under the user's lock. */
export async function enforceCap(tx: Tx, userId: string): Promise<void> {
  const max = tx.app.config.maxSessionsPerUser;
  await sessions.deleteExcessSessions.run({ userId, max }, tx.db.unawaited);
}
