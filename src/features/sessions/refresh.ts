import * as sessions from "#sql/sessions";
import {
  findActiveOrganization,
  type Home,
  NO_ACTIVE_ORGANIZATION,
} from "../../core/access/active-organization.ts";
import type { Call, Tx } from "../../core/context.ts";
import { auditBestEffort } from "../../core/effects/audit.ts";
import { mail } from "../../core/effects/mail.ts";
import { lockUsers } from "../../core/locks.ts";
import { endAllSessions } from "../../core/people/end-sessions.ts";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { fromStored } from "../../platform/i18n/languages.ts";
import { invalidRefreshToken } from "./errors.ts";
import type { Session } from "./start.ts";

export type RefreshToken = Awaited<ReturnType<typeof sessions.findRefreshToken.run>>[number];

/**
 * Continues a session by its refresh token (rules 5.6 to 5.8), in its organization or, when that is lost,
 * in another (rules 6.2).
 * @throws invalidRefreshToken; a token that was replaced and is out of its grace also ends every session
 */
export async function refresh(call: Call, token: string | null): Promise<Session> {
  // Anybody can call without a cookie: that costs no connection, and is answered while the database is away.
  if (token === null) throw invalidRefreshToken();
  const session = await transaction(call, async (tx) => {
    const row = await lockRefreshToken(tx, token);
    if (row === null) return null;
    if (!row.isRevoked) return row.isExpired ? null : await rotate(tx, row, await homeOf(tx, row));
    if (row.hasFreshSuccessor) return await successorOf(tx, row);
    await revokeOnTokenReuse(tx, row);
    return null;
  });
  // Thrown out here, because the end of the sessions must be committed.
  if (session === null) throw invalidRefreshToken();
  return session;
}

/**
 * The row of a refresh token, under its user's lock, or null. The lock puts parallel calls in line: the first
 * rotates, the others find the row revoked.
 */
export async function lockRefreshToken(tx: Tx, token: string | null): Promise<RefreshToken | null> {
  if (token === null) return null;
  const hash = tokenHash(token);
  const [owner] = await sessions.findTokenOwner.run({ tokenHash: hash }, tx.db);
  if (owner === undefined) return null;
  await lockUsers(tx, [owner.userId]);
  const [row] = await sessions.findRefreshToken.run({ tokenHash: hash }, tx.db);
  return row ?? null;
}

async function homeOf(tx: Tx, row: RefreshToken): Promise<Home> {
  if (row.isPlatformAdmin) return NO_ACTIVE_ORGANIZATION;
  return findActiveOrganization(tx.db, row.userId, row.organizationId ?? row.lastOrganizationId);
}

/** Replaces a live token; the session goes on in `home`. */
export async function rotate(tx: Tx, row: RefreshToken, home: Home): Promise<Session | null> {
  const refreshToken = newToken();
  const [rotated] = await sessions.rotateRefreshToken.run(
    {
      id: row.id,
      tokenHash: tokenHash(refreshToken),
      organizationId: home.organization?.id ?? null,
      lifetimeDays: tx.app.config.refreshTokenDays,
      ip: tx.ip,
      userAgent: tx.userAgent,
    },
    tx.db,
  );
  return rotated === undefined ? null : continued(row, home, refreshToken);
}

/** The grace answer: the successor's session and organization, and no cookie. */
async function successorOf(tx: Tx, row: RefreshToken): Promise<Session> {
  const { successorOrganizationId: bound } = row;
  const home =
    row.isPlatformAdmin || bound === null
      ? NO_ACTIVE_ORGANIZATION
      : await findActiveOrganization(tx.db, row.userId, bound);
  return continued(row, home.organization?.id === bound ? home : NO_ACTIVE_ORGANIZATION, null);
}

function continued(row: RefreshToken, home: Home, refreshToken: string | null): Session {
  const { userId, sessionId, isPlatformAdmin } = row;
  return { userId, sessionId, isPlatformAdmin, home, refreshToken };
}

/** Ends every session of a user whose replaced token was used again. */
export async function revokeOnTokenReuse(tx: Tx, row: RefreshToken): Promise<void> {
  await endAllSessions(tx, row.userId);
  await auditBestEffort(tx, "REFRESH_TOKEN_REUSED", {
    actorId: null,
    target: { type: "user", id: row.userId },
    metadata: { sessionId: row.sessionId },
  });
  await mail(tx, { kind: "sessionsEnded", to: row.email, language: fromStored(row.language), data: {} });
}
