import { exactlyOne, type Tx } from "#kit";
import * as queries from "#sql/oauth-grants";
import { type EndReason, endGrants } from "../end-grants.ts";

/*
 * What ends grants as a part of another change, in its transaction, so that nothing revives them: a member who returns has no connected
 * app of before. Each function returns how many were connected.
 */

const end = (tx: Tx, rows: { id: string }[], reason: EndReason): Promise<number> =>
  endGrants(
    tx,
    rows.map(({ id }) => id),
    reason,
  );

export const grantEnds = {
  organization: async (tx: Tx, organizationId: string) =>
    exactlyOne(await queries.endGrantsOfOrganization.run({ organizationId }, tx.db)).count,
  unit: async (tx: Tx, unitId: string) =>
    end(tx, await queries.listLiveGrantsOfUnit.run({ unitId }, tx.db), "unit"),
  memberships: async (tx: Tx, of: { userId: string; organizationIds: string[] }) =>
    end(tx, await queries.listLiveGrantsOfUser.run(of, tx.db), "membership"),
  sessions: async (tx: Tx, userId: string) =>
    end(tx, await queries.listLiveGrantsOfUser.run({ userId }, tx.db), "sessions"),
  identities: async (tx: Tx, { connectionIds, userId }: { connectionIds: string[]; userId?: string }) =>
    end(
      tx,
      await queries.listLiveGrantsByConnections.run({ connectionIds, userId: userId ?? null }, tx.db),
      "identity",
    ),
  user: async (tx: Tx, userId: string) => {
    const grants = await queries.listLiveGrantsOfUser.run({ userId }, tx.db);
    const count = await end(tx, grants, "account");
    await queries.deleteGrantsOfUser.run({ userId }, tx.db);
    return count;
  },
};
