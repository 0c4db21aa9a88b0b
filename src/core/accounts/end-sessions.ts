import * as sessions from "#sql/people/sessions";
import type { Tx } from "../context.ts";

/*
 * Ends sessions by deleting all their rows, so that an old cookie is a plain 401 later and not mistaken for reuse
 * (rules 5.11). Call under the user's lock: without it, a concurrent refresh would insert a row that stays alive.
 */

/** Ends every session of a user; returns those that were live. */
export async function endAllSessions(tx: Tx, userId: string): Promise<string[]> {
  const deleted = await sessions.deleteSessionsOfUser.run({ userId }, tx.db);
  return deleted.filter(({ isLive }) => isLive).map(({ sessionId }) => sessionId);
}

/** Ends the sessions of a user that act in one organization; those in others continue. */
export async function endSessionsIn(
  tx: Tx,
  place: { userId: string; organizationId: string },
): Promise<void> {
  await sessions.deleteSessionsOfMember.run(place, tx.db);
}

/**
 * Ends all sessions in an organization without locking its members. A session that a concurrent refresh keeps alive
 * loses the organization at its next refresh.
 */
export async function endSessionsOfOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sessions.deleteSessionsOfOrganization.run({ organizationId }, tx.db);
}

/** Ends one session of a user; returns whether it was live. */
export async function endSession(tx: Tx, session: { userId: string; sessionId: string }): Promise<boolean> {
  return (await sessions.deleteSession.run(session, tx.db)).length > 0;
}

/** Ends all sessions of a user except one; returns those ended. */
export async function endOtherSessions(
  tx: Tx,
  kept: { userId: string; sessionId: string },
): Promise<string[]> {
  const deleted = await sessions.deleteOtherSessions.run(kept, tx.db);
  return [...new Set(deleted.map(({ sessionId }) => sessionId))];
}
