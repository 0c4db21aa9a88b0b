import { exactlyOne, type Tx } from "#kit";
import * as clients from "#sql/oauth-clients";
import * as queries from "#sql/oauth-grants";
import { endGrants } from "../end-grants.ts";

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
  user: async (tx: Tx, userId: string) => {
    const grants = await queries.listLiveGrantsOfUser.run({ userId }, tx.db);
    const count = await endGrants(tx, grants, "account");
    await queries.deleteGrantsOfUser.run({ userId }, tx.db);
    return count;
  },
};
