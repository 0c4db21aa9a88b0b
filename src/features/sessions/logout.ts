import { type SignedInCall, tokenHash, transaction } from "#kit";
import { lockUsers } from "#kit/inside";
import * as sessions from "#sql/sessions";

/**
 * Revokes the session of the cookie if it is live and belongs to the caller, otherwise the session of the access
 * token. A cookie that a concurrent refresh has just replaced still identifies its session. So logout ends the
 * session, whichever of the two requests comes first.
 */
export async function logout(call: SignedInCall, cookie: string | null): Promise<void> {
  const { userId, sessionId } = call.actor;
  await transaction(call, async (tx) => {
    await lockUsers(tx, [userId]);
    const [owner] =
      cookie === null ? [] : await sessions.findTokenOwner.run({ tokenHash: tokenHash(cookie) }, tx.db);
    // Revokes nothing if the session belongs to another user or has ended already.
    const revoked =
      owner === undefined
        ? []
        : await sessions.revokeSession.run({ userId, sessionId: owner.sessionId }, tx.db);
    if (revoked.length === 0) await sessions.revokeSession.run({ userId, sessionId }, tx.db);
  });
}
