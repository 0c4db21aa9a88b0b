import { authorize, notFound, type OrganizationCall, transaction } from "#kit";
import * as queries from "#sql/oauth-grants";
import { endAndReturn } from "../end-grants.ts";
import { tellRevoked } from "./tell.ts";

/**
 * Ends the grant of a member who is wholly in the caller's reach; one that has ended stays so. It is the lever for emergencies: it asks
 * for none of the permissions that the app has, and works in a suspended organization.
 * @throws notFound
 */
export async function endGrantOfMember(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "ConnectedApps.Delete", { worksInSuspended: true });
    const { units } = await permissions.reach("ConnectedApps.Delete", tx.db);
    const [grant] = await queries.findGrantInReach.run({ id, organizationId, units }, tx.db);
    if (grant === undefined) throw notFound();
    for (const ended of await endAndReturn(tx, [id], "organization"))
      await tellRevoked(tx, ended.id, "organization");
  });
}
