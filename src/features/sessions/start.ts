import * as sessions from "#sql/sessions";
import {
  findActiveOrganization,
  type Home,
  NO_ACTIVE_ORGANIZATION,
} from "../../core/access/active-organization.ts";
import type { Tx } from "../../core/context.ts";
import { lockUsers } from "../../core/locks.ts";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import { only } from "../../platform/db/prepared-query.ts";

/** A session that was started or continued: what its cookie and its access token are made of. */
export type Session = {
  userId: string;
  sessionId: string;
  isPlatformAdmin: boolean;
  home: Home;
  /** Null where the answer must carry no cookie. */
  refreshToken: string | null;
};

/**
 * Takes the locks that a sign-in needs: the user's, null for one who is yet to be made, and that of whoever the browser
 * was signed in as until now.
 */
export async function lockForSignIn(tx: Tx, userId: string | null, cookie: string | null): Promise<void> {
  const [replaced] =
    cookie === null ? [] : await sessions.findTokenOwner.run({ tokenHash: tokenHash(cookie) }, tx.db);
  await lockUsers(
    tx,
    [userId, replaced?.userId].filter((id) => id != null),
  );
}

/**
 * Starts a session (rules 5.5): ends the one whose live cookie came along, clears what has expired, and
 * deletes the oldest sessions beyond the cap. Under the locks of `lockForSignIn`.
 */
export async function startSession(
  tx: Tx,
  user: { id: string; isPlatformAdmin: boolean; lastOrganizationId: string | null },
  cookie: string | null,
): Promise<Session> {
  const { refreshTokenDays } = tx.app.config;
  if (cookie !== null) await sessions.deleteSessionOfBrowser.run({ tokenHash: tokenHash(cookie) }, tx.db);

  const home = user.isPlatformAdmin
    ? NO_ACTIVE_ORGANIZATION
    : await findActiveOrganization(tx.db, user.id, user.lastOrganizationId);
  const refreshToken = newToken();
  const { sessionId } = only(
    await sessions.insertSession.run(
      {
        userId: user.id,
        tokenHash: tokenHash(refreshToken),
        organizationId: home.organization?.id ?? null,
        lifetimeDays: refreshTokenDays,
        ip: tx.ip,
        userAgent: tx.userAgent,
      },
      tx.db,
    ),
  );
  await enforceCap(tx, user.id);
  return {
    userId: user.id,
    sessionId,
    isPlatformAdmin: user.isPlatformAdmin,
    home,
    refreshToken,
  };
}

/** Deletes the oldest sessions of a user beyond the cap, and what has expired. Under the user's lock. */
export async function enforceCap(tx: Tx, userId: string): Promise<void> {
  await sessions.deleteExcessSessions.run({ userId, max: tx.app.config.maxSessionsPerUser }, tx.db);
}
