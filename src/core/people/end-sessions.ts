import * as sessions from "#sql/people/sessions";
import type { Tx } from "../context.ts";

/*
 * Sessions end here by deleting all their rows, so that an old cookie is a plain 401 later and never looks like theft
 * (rules 5.11). Under the user's lock, or a refresh in flight would leave a row alive.
 */

/** Ends every session of a user; returns which were alive. */
export async function endAllSessions(tx: Tx, userId: string): Promise<string[]> {
  const deleted = await sessions.deleteSessionsOfUser.run({ userId }, tx.db);
  return deleted.filter(({ isLive }) => isLive).map(({ sessionId }) => sessionId);
}

/** Ends the sessions of a user that act in one organization; those in others go on. */
export async function endSessionsIn(
  tx: Tx,
  place: { userId: string; organizationId: string },
): Promise<void> {
  await sessions.deleteSessionsOfMember.run(place, tx.db);
}

/**
 * Ends everybody's sessions in an organization, without the locks of all its members: what a refresh in flight
 * leaves alive finds no organization to act in at the next one.
 */
export async function endSessionsOfOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sessions.deleteSessionsOfOrganization.run({ organizationId }, tx.db);
}

/** Ends one session of a user; answers whether it was alive. */
export async function endSession(tx: Tx, session: { userId: string; sessionId: string }): Promise<boolean> {
  return (await sessions.deleteSession.run(session, tx.db)).length > 0;
}

/** Ends the sessions of a user but for one; answers which. */
export async function endOtherSessions(
  tx: Tx,
  kept: { userId: string; sessionId: string },
): Promise<string[]> {
  const deleted = await sessions.deleteOtherSessions.run(kept, tx.db);
  return [...new Set(deleted.map(({ sessionId }) => sessionId))];
}
