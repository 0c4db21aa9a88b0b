import {
  type Call,
  endOf,
  mail,
  memoizePerApp,
  newToken,
  Permits,
  type Queryable,
  Rate,
  type Tx,
  tokenHash,
  transaction,
} from "#kit";
import { auditAfterCommit, singleStatement, ssoHoursOf, toAccount, withEndedApps } from "#kit/inside";
import * as sessions from "#sql/sessions";
import {
  type ActiveOrganization,
  activeOrganizationOf,
  findActiveOrganization,
  NO_ACTIVE_ORGANIZATION,
} from "../../core/access/active-organization.ts";
import { hasOwnProof, sessionProofOf } from "../../core/access/proofs.ts";
import { endAllSessions } from "../../core/accounts/end-sessions.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import { clearedRefreshCookie } from "./cookie.ts";
import { invalidRefreshToken } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { REFRESH_GRACE_SECONDS, type Session } from "./start.ts";

export type RefreshToken = Awaited<ReturnType<typeof sessions.findRefreshToken.run>>[number];

const limitsOf = memoizePerApp(() => ({
  refreshes: new Permits(LIMITS.refreshes.levels),
  failures: new Rate(LIMITS.failedRefreshes),
}));

/**
 * Continues a session with its refresh token (rules 5.6 to 5.8): in the same organization or, if that is no longer
 * possible, in another (rules 6.2).
 * - An unknown token is only looked up, which needs no connection of its own.
 * - A live token is rotated by a single statement.
 * - A transaction under the same lock decides about every other token.
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
  const address = throttleKey(call.ip ?? "");
  const { refreshes, failures } = limitsOf(call.app);
  const deadlineAt = arrivedAt + call.db.maxWaitMs;
  const session = await refreshes.run({ address }, { request, deadlineAt }, () =>
    continueSession(call, token, arrivedAt),
  );
  if (session !== null) return session;
  // The error is thrown outside of the transaction, because the end of the sessions must be committed.
  failures.consume(address);
  throw refused();
}

async function continueSession(call: Call, token: string, arrivedAt: number): Promise<Session | null> {
  const [known] = await sessions.findTokenOwner.run({ tokenHash: tokenHash(token) }, call.db);
  if (known === undefined) return null;
  const knownAt = performance.now();
  // The new token is the same in every attempt. So a retry recognizes a rotation that took effect although the
  // connection was lost.
  const successor = newToken();
  const session = await singleStatement(call, (db, deadlineAt) => {
    // The deadline on the clock of the database, which may differ from the clock of this machine.
    const untilTime = new Date(known.time.getTime() + deadlineAt - knownAt);
    return rotate({ ...call, db }, token, { successor, untilTime });
  });
  return session ?? transaction(call, (tx) => replay(tx, token, { successor, arrivedAt }));
}

/**
 * Returns a refresh token, read under the lock of its user, or null. The lock serializes concurrent calls (see
 * `src/core/locks.ts`).
 * @param arrivedAt the arrival of the request, on the clock of `performance.now()`. A token that could be used then
 * is not reused, even if another request has replaced it since.
 */
export async function lockRefreshToken(
  tx: Tx,
  token: string | null,
  arrivedAt = performance.now(),
): Promise<RefreshToken | null> {
  if (token === null) return null;
  const byHash = { tokenHash: tokenHash(token) };
  const waitedSeconds = (performance.now() - arrivedAt) / 1000;
  const [locked] = await sessions.lockTokenOwner.run({ ...byHash, waitedSeconds }, tx.db);
  if (locked === undefined) return null;
  const sought = { ...byHash, graceSeconds: REFRESH_GRACE_SECONDS, arrivedAt: locked.arrivedAt };
  return (await sessions.findRefreshToken.run(sought, tx.db))[0] ?? null;
}

/** Like `lockRefreshToken`; returns null unless the token is that of a live session of the user. */
export async function lockSessionOf(
  tx: Tx,
  token: string | null,
  userId: string,
): Promise<RefreshToken | null> {
  const session = await lockRefreshToken(tx, token);
  const isLive = session?.userId === userId && !session.isRevoked && !session.isExpired;
  return isLive ? session : null;
}

/** A call whose database may be a transaction or a pool. */
type WritingCall = Omit<Call, "db"> & { readonly db: Queryable };

/**
 * Takes the user's lock and replaces a live refresh token; returns null if the token is not live. The session
 * continues in the preferred organization, otherwise in its own, otherwise in another.
 * @param untilTime the time, on the clock of the database, after which the token is not replaced
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
  const rows = await sessions.rotateRefreshToken.run(
    {
      tokenHash: tokenHash(token),
      successorHash: tokenHash(refreshToken),
      preferredId,
      ssoHours: ssoHoursOf(tx.app.config),
      untilTime,
      lifetimeDays: tx.app.config.refreshTokenDays,
      ip: tx.ip,
      userAgent: tx.userAgent,
    },
    tx.db,
  );
  const [row] = rows;
  return row === undefined
    ? null
    : continued({ ...row, active: await activeOrganizationOf(rows, tx.db) }, refreshToken);
}

/** Decides about a refresh token that is no longer live. Returns null if the token is rejected. */
async function replay(
  tx: Tx,
  token: string,
  { successor, arrivedAt }: { successor: string; arrivedAt: number },
): Promise<Session | null> {
  const row = await lockRefreshToken(tx, token, arrivedAt);
  if (row?.isReused) await revokeOnTokenReuse(tx, row);
  // The session may have ended while the request waited.
  if (row === null || row.isReused || !row.isSessionLive) return null;
  return successorOf(tx, row, row.successorHash === tokenHash(successor) ? successor : null);
}

/**
 * Returns the response for a token in its grace period: its session in the organization of the live token, without a
 * cookie, because another request has got that token's cookie.
 */
async function successorOf(tx: Tx, row: RefreshToken, refreshToken: string | null): Promise<Session> {
  const { liveOrganizationId: bound, userId, proof } = row;
  const { sso: _, ...claims } = proof as Record<string, unknown>;
  const isConfined = !hasOwnProof(row);
  const none = { active: NO_ACTIVE_ORGANIZATION, claims, endsAt: null, breaksGlass: false };
  if (row.isPlatformAdmin || bound === null) return continued({ ...row, isConfined, ...none }, refreshToken);
  const ssoHours = ssoHoursOf(tx.app.config);
  const found = await findActiveOrganization(tx.db, { userId, preferredId: bound, proof, ssoHours });
  const kept = found.active.organization?.id === bound ? found : none;
  return continued({ ...row, isConfined, ...kept }, refreshToken);
}

type Continued = Pick<
  Session,
  "userId" | "sessionId" | "isPlatformAdmin" | "hasTwoFactor" | "endsAt" | "breaksGlass"
> & {
  active: ActiveOrganization;
  claims: unknown;
  isConfined: boolean;
};
const continued = (
  { active, userId, sessionId, isPlatformAdmin, hasTwoFactor, endsAt, breaksGlass, ...proofs }: Continued,
  refreshToken: string | null,
): Session => ({
  ...{ userId, sessionId, isPlatformAdmin, hasTwoFactor, endsAt, breaksGlass },
  proof: sessionProofOf(proofs),
  activeOrganization: active,
  refreshToken,
});

/** Ends every session of a user whose replaced token was used again. */
export async function revokeOnTokenReuse(tx: Tx, row: RefreshToken): Promise<void> {
  await endAllSessions(tx, row.userId);
  const endedApps = await endOf("sessions", tx, row.userId);
  auditAfterCommit(tx, "REFRESH_TOKEN_REUSED", {
    actorId: null,
    target: { type: "user", id: row.userId },
    metadata: { sessionId: row.sessionId, ...withEndedApps(endedApps) },
  });
  await mail(tx, { kind: "sessionsEnded", ...toAccount(row), data: {} });
}
