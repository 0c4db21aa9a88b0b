import { exactlyOne, type Queryable } from "#kit";
import * as queries from "#sql/service-accounts";

/** Counts the service accounts of an organization that are not deleted, including disabled ones. */
export async function countServiceAccounts(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await queries.countLiveServiceAccounts.run({ organizationId }, db)).count;
}
