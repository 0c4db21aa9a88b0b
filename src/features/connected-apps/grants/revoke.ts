import { authorize, notFound, type OrganizationCall, transaction } from "#kit";
import * as queries from "#sql/oauth-grants";
import { revokeGrants } from "../end-grants.ts";

/**
 * Ends the grant of a member who is wholly in the caller's reach; does nothing if it has ended. For emergencies, so it needs none of the
 * permissions that the app has, and works in a suspended organization.
 * @throws notFound
 */
export async function endGrantOfMember(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "ConnectedApps.Delete", { worksInSuspended: true });
    const { units } = await permissions.reach("ConnectedApps.Delete", tx.db);
    const [grant] = await queries.findGrantInReach.run({ id, organizationId, units }, tx.db);
    if (grant === undefined) throw notFound();
    await revokeGrants(tx, [grant], "organization");
  });
}
