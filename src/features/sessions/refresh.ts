import * as sessions from "#sql/sessions";
import {
  type ActiveOrganization,
  activeOrganizationOf,
  findActiveOrganization,
  NO_ACTIVE_ORGANIZATION,
} from "../../core/access/active-organization.ts";
import type { SessionProof } from "../../core/access/proofs.ts";
import { endAllSessions } from "../../core/accounts/end-sessions.ts";
import type { Call, Tx } from "../../core/context.ts";
import { auditAfterCommit } from "../../core/effects/audit.ts";
import { mail } from "../../core/effects/mail.ts";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { singleStatement, transaction } from "../../platform/db/transaction.ts";
import { fromStored } from "../../platform/i18n/languages.ts";
import { clearedRefreshCookie } from "./cookie.ts";
import { invalidRefreshToken } from "./errors.ts";
import { REFRESH_GRACE_SECONDS } from "./grace.ts";
import { refreshLimiterOf } from "./refresh-limiter.ts";
import type { Session } from "./start.ts";

export type RefreshToken = Awaited<ReturnType<typeof sessions.findRefreshToken.run>>[number];

/**
 * Continues a session with its refresh token (rules 5.6 to 5.8): in the same organization or, if that is no longer
 * possible, in another (rules 6.2).
 * - A live token is rotated by a single statement. A single statement commits when it runs, so it carries a
 *   deadline after which it does nothing.
 * - The clocks of this machine and of the database may differ: if the statement did nothing only because of the
 *   deadline, a transaction rotates the token.
 * - A transaction under the same lock decides about every other token.
 * - An unknown token gets no transaction. After too many failed refreshes from the address, it gets no connection
 *   either.
 * @throws invalidRefreshToken, which clears the cookie; a replaced token after its grace period also ends every
 * session of the user; tooManyRequests instead, after too many failed refreshes from the address
 */
export async function refresh(
  call: Call,
  token: string | null,
  request: Pick<Request, "signal">,
): Promise<Session> {
  const arrivedAt = performance.now();
  const refused = () => invalidRefreshToken(clearedRefreshCookie(call.app.config.production));
  // A request without a cookie is rejected without using a connection, and even while the database is unavailable.
  if (token === null) throw refused();
  const ip = call.ip ?? "";
  const limiter = refreshLimiterOf(call.app);
  const session = await limiter.run({ ip, request, maxWaitMs: call.db.maxWaitMs }, async () =>
    (await limiter.hasFailedTooOften(ip)) && !(await isKnown(call, token))
      ? null
      : continueSession(call, token, arrivedAt),
  );
  if (session !== null) return session;
  // The error is thrown outside of the transaction, because the end of the sessions must be committed.
  await limiter.countFailure(ip);
  throw refused();
}

async function continueSession(call: Call, token: string, arrivedAt: number): Promise<Session | null> {
  // The new token is the same in every attempt. So a retry recognizes a rotation that took effect although the
  // connection was lost.
  const successor = newToken();
  const session = await singleStatement(call, (db, deadlineAt) => {
    const untilTime = new Date(Date.now() + deadlineAt - performance.now());
    return rotate({ ...call, db }, token, { successor, untilTime });
  });
  if (session !== null || !(await isKnown(call, token))) return session;
  return transaction(call, (tx) => inTransaction(tx, token, { successor, arrivedAt }));
}

/** Whether a refresh token was ever issued. */
const isKnown = async ({ db }: Call, token: string): Promise<boolean> =>
  (await sessions.findTokenOwner.run({ tokenHash: tokenHash(token) }, db)).length > 0;

/**
 * Returns a refresh token, read under the lock of its user, or null. The lock is pipelined with the query and
 * serializes concurrent calls (see `src/core/locks.ts`).
 * @param arrivedAt the arrival of the request, on the clock of `performance.now()`. A token that could be used then
 * is not reused, even if another request has replaced it since.
 */
export async function lockRefreshToken(
  tx: Tx,
  token: string | null,
  arrivedAt = performance.now(),
): Promise<RefreshToken | null> {
  if (token === null) return null;
  const tokenOwner = { tokenHash: tokenHash(token) };
  await sessions.lockTokenOwner.run(tokenOwner, tx.db.pipelined);
  const find = async () => {
    const waitedSeconds = (performance.now() - arrivedAt) / 1000;
    const sought = { ...tokenOwner, graceSeconds: REFRESH_GRACE_SECONDS, waitedSeconds };
    return (await sessions.findRefreshToken.run(sought, tx.db))[0] ?? null;
  };
  const row = await find();
  // The first query also waited for the transaction and the lock, so it takes the arrival for later than it was. A
  // query that waits for nothing decides.
  return row?.isReused ? find() : row;
}

/** A call whose database may be a transaction or a pool. */
type WritingCall = Omit<Call, "db"> & { readonly db: Queryable };

/**
 * Takes the user's lock and replaces a live refresh token; returns null if the token is not live. The session
 * continues in the preferred organization, otherwise in its own, otherwise in another.
 */
export async function rotate(
  tx: WritingCall,
  token: string,
  {
    preferredId = null,
    successor: refreshToken = newToken(),
    untilTime = null,
  }: { preferredId?: string | null; successor?: string; untilTime?: Date | null },
): Promise<Session | null> {
  const successorHash = tokenHash(refreshToken);
  const rows = await sessions.rotateRefreshToken.run(
    {
      tokenHash: tokenHash(token),
      successorHash,
      preferredId,
      untilTime,
      lifetimeDays: tx.app.config.refreshTokenDays,
      ip: tx.ip,
      userAgent: tx.userAgent,
    },
    tx.db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const proof = row.proof ?? (await sessions.setProof.run({ tokenHash: successorHash }, tx.db))[0]?.proof;
  // Without a proof, the session ended meanwhile.
  if (proof === undefined) return null;
  return continued({ ...row, proof }, await activeOrganizationOf(rows, tx.db), refreshToken);
}

/**
 * Handles a refresh token that the statement did not rotate, usually because it is no longer live or was never
 * issued. Returns null if the token is rejected.
 */
async function inTransaction(
  tx: Tx,
  token: string,
  { successor, arrivedAt }: { successor: string; arrivedAt: number },
): Promise<Session | null> {
  const row = await lockRefreshToken(tx, token, arrivedAt);
  if (row === null) return null;
  if (!row.isRevoked) return row.isExpired ? null : rotate(tx, token, { successor });
  if (row.isReused) await revokeOnTokenReuse(tx, row);
  // The session may have ended while the request waited.
  if (row.isReused || !row.isSessionLive) return null;
  return successorOf(tx, row, row.successorHash === tokenHash(successor) ? successor : null);
}

/**
 * Returns the response for a token in its grace period: its session in the organization of the live token, without a
 * cookie, because another request has got that token's cookie.
 */
async function successorOf(tx: Tx, row: RefreshToken, refreshToken: string | null): Promise<Session> {
  const { liveOrganizationId: bound } = row;
  const active =
    row.isPlatformAdmin || bound === null
      ? NO_ACTIVE_ORGANIZATION
      : await findActiveOrganization(tx.db, row.userId, bound);
  return continued(row, active.organization?.id === bound ? active : NO_ACTIVE_ORGANIZATION, refreshToken);
}

function continued(
  row: Omit<Session, "activeOrganization" | "refreshToken" | "proof"> & { proof: unknown },
  activeOrganization: ActiveOrganization,
  refreshToken: string | null,
): Session {
  const { userId, sessionId, isPlatformAdmin, hasTwoFactor } = row;
  const proof = row.proof as SessionProof;
  return { userId, sessionId, isPlatformAdmin, hasTwoFactor, proof, activeOrganization, refreshToken };
}

/** Ends every session of a user whose replaced token was used again. */
export async function revokeOnTokenReuse(tx: Tx, row: RefreshToken): Promise<void> {
  await endAllSessions(tx, row.userId);
  auditAfterCommit(tx, "REFRESH_TOKEN_REUSED", {
    actorId: null,
    target: { type: "user", id: row.userId },
    metadata: { sessionId: row.sessionId },
  });
  await mail(tx, { kind: "sessionsEnded", to: row.email, language: fromStored(row.language), data: {} });
}
