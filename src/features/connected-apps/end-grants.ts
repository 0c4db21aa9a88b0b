import { eventEach, type Tx } from "#kit";
import * as queries from "#sql/oauth-grants";
import { eventOf } from "./grants/tell.ts";

/** Why a grant ended. */
export type EndReason =
  | "person"
  | "organization"
  | "app"
  | "reported"
  | "replaced"
  | "reused"
  | "sessions"
  | "membership"
  | "account"
  | "identity"
  | "unit"
  | "policy"
  | "client"
  | "restored";

/** A grant that has just ended, and the organization in which it acted. */
export type EndedGrant = { id: string; organizationId: string };

/**
 * Ends grants, in the transaction of their cause and under its locks: no token of them works once it commits, and no event revives
 * them. Returns how many were connected, which the audit event of the cause says. Other systems are told of these; call it while their
 * person is still linked to their units.
 */
export const endGrants = async (tx: Tx, ids: string[], reason: EndReason): Promise<number> =>
  (await endAndReturn(tx, ids, reason)).length;

/** Like `endGrants`, and returns the grants that were connected. */
export async function endAndReturn(tx: Tx, ids: string[], reason: EndReason): Promise<EndedGrant[]> {
  if (ids.length === 0) return [];
  const ended = await queries.endGrants.run({ ids, reason }, tx.db);
  const connected = ended.filter(({ wasConnected }) => wasConnected);
  if (connected.length > 0 && tx.app.config.events) {
    const grants = await queries.listGrantsById.run({ ids: connected.map(({ id }) => id) }, tx.db);
    await eventEach(tx, "connected_app.ended", grants.map(eventOf));
  }
  return connected;
}
