import type { z } from "zod";
import { audit, endOf, notFound, type SignedInCall, type Tx, transaction } from "#kit";
import { assertOwnProof, withEndedApps } from "#kit/inside";
import * as queries from "#sql/sessions";
import { endOtherSessions, endSession } from "../../core/accounts/end-sessions.ts";
import { lockAccount } from "../../core/accounts/reauthenticate.ts";
import { findOwnAccount } from "../../core/accounts/user.ts";
import type { OwnSession } from "./schemas.ts";

/** Returns the caller's sessions, most recently used first; of a confined session only itself. @throws unauthenticated for a deleted account */
export async function listOwnSessions(call: SignedInCall): Promise<z.output<typeof OwnSession>[]> {
  const { userId, sessionId, claims } = call.actor;
  await findOwnAccount(call);
  const only = claims.confined ? sessionId : null;
  const rows = await queries.listSessions.run({ userId, sessionId: only }, call.db);
  return rows.map((row) => ({
    id: row.sessionId,
    createdAt: row.sessionStartedAt.toISOString(),
    lastUsedAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    ip: row.ip,
    userAgent: row.userAgent,
    organization:
      row.organizationId === null || row.organizationName === null
        ? null
        : { id: row.organizationId, name: row.organizationName },
    current: row.sessionId === sessionId,
    confined: row.isConfined,
  }));
}

/**
 * Ends one of the caller's sessions, including the current one. A confined session ends only itself.
 * @throws unauthenticated, also if the current session has ended; notFound, also for sessions of other users;
 * reauthenticationRequired
 */
export async function endOwnSession(call: SignedInCall, sessionId: string): Promise<void> {
  if (sessionId !== call.actor.sessionId) await assertOwnProof(call, call.actor);
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    if (!(await endSession(tx, { userId, sessionId }))) throw notFound();
    await tellOfEnd(tx, sessionId);
  });
}

/**
 * Ends all sessions of the caller except the current one, and the caller's connected apps.
 * @throws unauthenticated, also if the current session has ended
 */
export async function endOtherOwnSessions(call: SignedInCall): Promise<void> {
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    const ended = await endOtherSessions(tx, { userId, sessionId: tx.actor.sessionId });
    await tellOfEnds(tx, ended, { endedApps: await endOf("sessions", tx, userId) });
  });
}

/**
 * Writes an audit event of each session that ended when all were to end, of which the first says how many connected apps did. If there
 * was no session, an event without one says it.
 */
export async function tellOfEnds(
  tx: Tx,
  sessionIds: string[],
  { endedApps, metadata = {} }: { endedApps: number; metadata?: { userId?: string } },
): Promise<void> {
  const shown = withEndedApps(endedApps);
  for (const [index, id] of sessionIds.entries())
    await audit(tx, "SESSION_REVOKED", {
      target: { type: "session", id },
      metadata: { ...metadata, ...(index === 0 ? shown : {}) },
    });
  if (sessionIds.length === 0 && endedApps > 0)
    await audit(tx, "SESSION_REVOKED", { target: null, metadata: { ...metadata, ...shown } });
}

const tellOfEnd = (tx: Tx, sessionId: string) =>
  audit(tx, "SESSION_REVOKED", { target: { type: "session", id: sessionId } });
