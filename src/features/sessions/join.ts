import type { Tx } from "#kit";
import { serializationFailure } from "#kit/inside";
import * as access from "#sql/access";
import type { SsoProof } from "../../core/access/proofs.ts";
import { lockRefreshToken, rotate } from "./refresh.ts";
import type { Session } from "./start.ts";

/**
 * Adds a proof by a connection to the live session of the same account in this browser, and continues it in the
 * connection's organization with a new cookie. Returns null if the browser has no such session. Call under the locks of
 * `lockForSignIn`.
 */
export async function joinSession(
  tx: Tx,
  userId: string,
  { proof, cookie }: { proof: SsoProof; cookie: string | null },
): Promise<Session | null> {
  const live = await lockRefreshToken(tx, cookie);
  if (cookie === null || live === null || live.userId !== userId || live.isRevoked || live.isExpired)
    return null;
  const { organizationId, ...shown } = proof;
  const { sessionId } = live;
  const [recorded] = await access.recordProof.run({ userId, sessionId, ...shown }, tx.db);
  const session = recorded && (await rotate(tx, cookie, { preferredId: organizationId }));
  // The end of an organization takes no lock of the user, and may have ended the session meanwhile.
  if (!session) throw serializationFailure();
  return session;
}
