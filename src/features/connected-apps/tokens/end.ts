import { type Call, type Tx, transaction } from "#kit";
import { lockUsers } from "#kit/inside";
import { endGrants, revokeGrants } from "../end-grants.ts";
import { tellReused } from "../grants/tell.ts";

type Grant = { grantId: string; userId: string };

/** Ends a grant of which a code or refresh token was used a second time by its client: it may be stolen. Does nothing if it has ended. */
export const endReused = (call: Call, { grantId, userId }: Grant, kind: "code" | "refresh"): Promise<void> =>
  transaction(call, async (tx) => {
    await lockUsers(tx, [userId]);
    if ((await endGrants(tx, [{ id: grantId }], "reused")) > 0) await tellReused(tx, grantId, kind);
  });

/** Ends a grant whose token the app gave back, or somebody reported as leaked. Does nothing if it has ended. */
export async function endRevoked(tx: Tx, { grantId, userId }: Grant, via: "app" | "reported"): Promise<void> {
  await lockUsers(tx, [userId]);
  await revokeGrants(tx, [{ id: grantId }], via);
}
