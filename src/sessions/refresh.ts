import * as sessions from "#sql/sessions";
import { auditBestEffort } from "../audit/effect.ts";
import type { Call } from "../context.ts";
import { lockUsers } from "../db/locks.ts";
import { type Tx, transaction } from "../db/transaction.ts";
import { invalidRefreshToken } from "../http/errors.ts";
import { fromStored } from "../i18n/languages.ts";
import { mail } from "../mail/effect.ts";
import { newToken, tokenHash } from "../secrets.ts";
import { endAllSessions } from "./end.ts";
import type { Session } from "./start.ts";

type RefreshToken = Awaited<ReturnType<typeof sessions.findRefreshToken.run>>[number];

/**
 * Continues a session by its refresh token (specification 3.1, 5.1.3). The user's lock puts parallel calls in
 * line: the first rotates, the others find the row revoked and take the grace path, which sets no cookie.
 * @throws invalidRefreshToken; a token that was replaced and is out of its grace also ends every session
 */
export async function refresh(call: Call, token: string | null): Promise<Session> {
  if (token === null) throw invalidRefreshToken();
  const hash = tokenHash(token);

  const session = await transaction(call, async (tx) => {
    const [owner] = await sessions.findTokenOwner.run({ tokenHash: hash }, tx.db);
    if (owner === undefined) return null;
    await lockUsers(tx, [owner.userId]);

    const [row] = await sessions.findRefreshToken.run({ tokenHash: hash }, tx.db);
    if (row === undefined) return null;
    if (!row.isRevoked) return row.isExpired ? null : await rotate(tx, row);
    if (row.hasFreshSuccessor) return continued(row, row.successorOrganizationId, null);
    await endByTheft(tx, row);
    return null;
  });
  // Thrown out here, because the end of the sessions must be committed.
  if (session === null) throw invalidRefreshToken();
  return session;
}

async function rotate(tx: Tx, row: RefreshToken): Promise<Session | null> {
  const refreshToken = newToken();
  const [rotated] = await sessions.rotateRefreshToken.run(
    {
      id: row.id,
      tokenHash: tokenHash(refreshToken),
      organizationId: row.organizationId,
      lifetimeDays: tx.app.config.refreshTokenDays,
      ip: tx.ip,
      userAgent: tx.userAgent,
    },
    tx.db,
  );
  return rotated === undefined ? null : continued(row, row.organizationId, refreshToken);
}

function continued(row: RefreshToken, organizationId: string | null, refreshToken: string | null): Session {
  const { userId, sessionId, isPlatformAdmin } = row;
  return { userId, sessionId, isPlatformAdmin, organizationId, refreshToken };
}

async function endByTheft(tx: Tx, row: RefreshToken): Promise<void> {
  await endAllSessions(tx, row.userId);
  await auditBestEffort(tx, "REFRESH_TOKEN_REUSED", {
    actorId: null,
    target: { type: "user", id: row.userId },
    metadata: { sessionId: row.sessionId },
  });
  await mail(tx, { kind: "sessionsEnded", to: row.email, language: fromStored(row.language), data: {} });
}
