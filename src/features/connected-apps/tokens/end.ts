import { type Call, lockUsers, type Tx, transaction } from "#kit";
import { type EndReason, endGrants } from "../end-grants.ts";
import { tellReused, tellRevoked } from "../grants/tell.ts";

type Grant = { grantId: string; userId: string };

/** Ends a grant and tells of it, unless it has ended. */
async function end(tx: Tx, { grantId, userId }: Grant, reason: EndReason, tell: () => Promise<void>) {
  await lockUsers(tx, [userId]);
  if ((await endGrants(tx, [grantId], reason)) > 0) await tell();
}

/** Ends a grant of which a code or refresh token was used a second time by its client: it may be stolen. */
export const endReused = (call: Call, grant: Grant, kind: "code" | "refresh"): Promise<void> =>
  transaction(call, (tx) => end(tx, grant, "reused", () => tellReused(tx, grant.grantId, kind)));

/** Ends a grant whose token the app gave back, or somebody reported as leaked. */
export const endRevoked = (tx: Tx, grant: Grant, via: "app" | "reported"): Promise<void> =>
  end(tx, grant, via, () => tellRevoked(tx, grant.grantId, via));
