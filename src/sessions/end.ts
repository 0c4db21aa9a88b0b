import * as sessions from "#sql/sessions";
import type { Tx } from "../db/transaction.ts";

/**
 * Ends every session of a user by deleting its rows, so that an old cookie is a plain 401 later and never
 * looks like theft (contract 2). Under the user's lock, or a refresh in flight would leave a row alive.
 */
export async function endAllSessions(tx: Tx, userId: string): Promise<void> {
  await sessions.deleteSessionsOfUser.run({ userId }, tx.db);
}
