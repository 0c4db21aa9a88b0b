import type { z } from "zod";
import { audit, notFound, type SignedInCall, type Tx, transaction } from "#kit";
import * as queries from "#sql/sessions";
import { endOtherSessions, endSession } from "../../core/accounts/end-sessions.ts";
import { findOwnAccount } from "../../core/accounts/own-account.ts";
import { lockAccount } from "../../core/accounts/reauthenticate.ts";
import type { OwnSession } from "./schemas.ts";

/** Returns the caller's sessions, most recently used first. @throws unauthenticated for a deleted account */
export async function listOwnSessions(call: SignedInCall): Promise<z.output<typeof OwnSession>[]> {
  const { userId, sessionId } = call.actor;
  await findOwnAccount(call);
  const rows = await queries.listSessions.run({ userId }, call.db);
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
  }));
}

/**
 * Ends one of the caller's sessions, including the current one.
 * @throws unauthenticated, also if the current session has ended; notFound, also for sessions of other users
 */
export async function endOwnSession(call: SignedInCall, sessionId: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    if (!(await endSession(tx, { userId, sessionId }))) throw notFound();
    await tellOfEnd(tx, sessionId);
  });
}

/**
 * Ends all sessions of the caller except the current one.
 * @throws unauthenticated, also if the current session has ended
 */
export async function endOtherOwnSessions(call: SignedInCall): Promise<void> {
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    const ended = await endOtherSessions(tx, { userId, sessionId: tx.actor.sessionId });
    for (const sessionId of ended) await tellOfEnd(tx, sessionId);
  });
}

const tellOfEnd = (tx: Tx, sessionId: string) =>
  audit(tx, "SESSION_REVOKED", { target: { type: "session", id: sessionId } });
