import * as sessions from "#sql/people/sessions";
import type { Tx } from "../context.ts";

/*
 * Ends sessions by deleting all their rows. A later request with an old cookie then gets a plain 401, and is not
 * mistaken for token reuse (rules 5.11). Call under the user's lock: otherwise a concurrent refresh could insert a
 * row that stays valid.
 */

/** Ends every session of a user; returns the ids of those that were live. */
export async function endAllSessions(tx: Tx, userId: string): Promise<string[]> {
  const deleted = await sessions.deleteSessionsOfUser.run({ userId }, tx.db);
  return deleted.filter(({ isLive }) => isLive).map(({ sessionId }) => sessionId);
}

/** Ends the sessions of a user in one organization. The user's sessions in other organizations continue. */
export async function endSessionsIn(
  tx: Tx,
  place: { userId: string; organizationId: string },
): Promise<void> {
  await sessions.deleteSessionsOfMember.run(place, tx.db);
}

/**
 * Ends all sessions in an organization without locking its members. If a concurrent refresh keeps a session alive,
 * that session loses the organization at its next refresh.
 */
export async function endSessionsOfOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sessions.deleteSessionsOfOrganization.run({ organizationId }, tx.db);
}

/** Ends one session of a user; returns whether it was live. */
export async function endSession(tx: Tx, session: { userId: string; sessionId: string }): Promise<boolean> {
  return (await sessions.deleteSession.run(session, tx.db)).length > 0;
}

/** Ends all sessions of a user except one; returns the ids of those that were live. */
export async function endOtherSessions(
  tx: Tx,
  kept: { userId: string; sessionId: string },
): Promise<string[]> {
  const deleted = await sessions.deleteOtherSessions.run(kept, tx.db);
  return [...new Set(deleted.map(({ sessionId }) => sessionId))];
}
