import { type Call, eventEach, exactlyOne, type Tx, transaction } from "#kit";
import { lockUsers } from "#kit/inside";
import * as clients from "#sql/oauth-clients";
import * as queries from "#sql/oauth-grants";
import { eventOf, type RevokedVia, tellReused, tellRevoked } from "./tell.ts";

/** Why a grant ended. */
type EndReason =
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

type TokenOwner = { grantId: string; userId: string };

/** Ends a grant of which a code or refresh token was used a second time by its client: it may be stolen. Does nothing if it has ended. */
export const endReused = (
  call: Call,
  { grantId, userId }: TokenOwner,
  kind: "code" | "refresh",
): Promise<void> =>
  transaction(call, async (tx) => {
    await lockUsers(tx, [userId]);
    if ((await endGrants(tx, [{ id: grantId }], "reused")) > 0) await tellReused(tx, grantId, kind);
  });

/** Ends a grant whose token the app gave back, or somebody reported as leaked. Does nothing if it has ended. */
export async function endRevoked(
  tx: Tx,
  { grantId, userId }: TokenOwner,
  via: "app" | "reported",
): Promise<void> {
  await lockUsers(tx, [userId]);
  await revokeGrants(tx, [{ id: grantId }], via);
}

/**
 * Ends the grants in an organization that its policy no longer covers: all of them, or those of one app. Apps that only the operator
 * blocks keep their grants, and are refused at each request. Call under the organization's lock, after the change.
 * @returns how many were connected
 */
export async function endUncovered(
  tx: Tx,
  organizationId: string,
  app: string | null = null,
): Promise<number> {
  const operator = { ...tx.app.config.appRules, blocked: [] };
  const rows = await clients.listUncoveredGrants.run({ organizationId, app, operator }, tx.db);
  return endGrants(tx, rows, "policy");
}

/*
 * Ends grants as a part of another change, in its transaction, so that nothing revives them: a member who returns has no connected app
 * from before. Each function returns how many were connected.
 */

export const grantEnds = {
  organization: async (tx: Tx, organizationId: string) => {
    await clients.deleteClientsOfOrganization.run({ organizationId }, tx.db);
    return exactlyOne(await queries.endGrantsOfOrganization.run({ organizationId }, tx.db)).count;
  },
  unit: async (tx: Tx, unitId: string) =>
    endGrants(tx, await queries.listLiveGrantsOfUnit.run({ unitId }, tx.db), "unit"),
  memberships: async (tx: Tx, of: { userId: string; organizationIds: string[] }) =>
    endGrants(tx, await queries.listLiveGrantsOfUser.run(of, tx.db), "membership"),
  sessions: async (tx: Tx, userId: string) =>
    endGrants(tx, await queries.listLiveGrantsOfUser.run({ userId }, tx.db), "sessions"),
  identities: async (tx: Tx, { connectionIds, userId }: { connectionIds: string[]; userId?: string }) =>
    endGrants(
      tx,
      await queries.listLiveGrantsByConnections.run({ connectionIds, userId: userId ?? null }, tx.db),
      "identity",
    ),
  uncoveredApps: (tx: Tx, organizationId: string) => endUncovered(tx, organizationId),
  user: async (tx: Tx, userId: string) => {
    const grants = await queries.listLiveGrantsOfUser.run({ userId }, tx.db);
    const count = await endGrants(tx, grants, "account");
    await queries.deleteGrantsOfUser.run({ userId }, tx.db);
    return count;
  },
};
