import { eventEach, type Tx } from "#kit";
import * as queries from "#sql/oauth-grants";
import { eventOf, type RevokedVia, tellRevoked } from "./grants/tell.ts";

/** Why a grant ended. */
export type EndReason =
  | RevokedVia
  | "reused"
  | "sessions"
  | "membership"
  | "account"
  | "identity"
  | "unit"
  | "policy"
  | "client"
  | "restored";

type Grant = { id: string };

/**
 * Ends grants in the transaction of the event that ends them, under its locks. After the commit no token of them works, and nothing
 * revives them. Writes `connected_app.ended`, so call it while the person is still linked to their units.
 * @returns how many were connected, for the audit event of the cause
 */
export const endGrants = async (tx: Tx, grants: readonly Grant[], reason: EndReason): Promise<number> =>
  (await end(tx, grants, reason)).length;

/** Ends grants on purpose; audits each that was connected, and notifies its person. */
export async function revokeGrants(tx: Tx, grants: readonly Grant[], via: RevokedVia): Promise<void> {
  for (const { id } of await end(tx, grants, via)) await tellRevoked(tx, id, via);
}

/** Returns the grants that were connected. */
async function end(tx: Tx, grants: readonly Grant[], reason: EndReason): Promise<Grant[]> {
  if (grants.length === 0) return [];
  const ended = await queries.endGrants.run({ ids: grants.map(({ id }) => id), reason }, tx.db);
  const connected = ended.filter(({ wasConnected }) => wasConnected);
  if (connected.length > 0 && tx.app.config.events) {
    const rows = await queries.listGrantsById.run({ ids: connected.map(({ id }) => id) }, tx.db);
    await eventEach(tx, "connected_app.ended", rows.map(eventOf));
  }
  return connected;
}
