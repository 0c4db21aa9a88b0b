import * as sessions from "#sql/sessions";
import type { SignedInCall } from "../context.ts";
import { lockUsers } from "../db/locks.ts";
import { transaction } from "../db/transaction.ts";
import { tokenHash } from "../secrets.ts";

/**
 * Revokes the session of the cookie if it is the caller's, else that of the access token. A cookie that a
 * refresh has just replaced still names its session, so nothing stays alive whichever came first.
 */
export async function logout(call: SignedInCall, cookie: string | null): Promise<void> {
  const { userId, sessionId } = call.actor;
  await transaction(call, async (tx) => {
    await lockUsers(tx, [userId]);
    const [owner] =
      cookie === null ? [] : await sessions.findTokenOwner.run({ tokenHash: tokenHash(cookie) }, tx.db);
    const ended = owner?.userId === userId ? owner.sessionId : sessionId;
    await sessions.revokeSession.run({ userId, sessionId: ended }, tx.db);
  });
}
