import { exactlyOne, type Queryable } from "#kit";
import { discardDeliveriesOfDeleted } from "#sql/webhook-deliveries";

/** Limits one statement: an endpoint may have 100,000 pending deliveries. */
const AT_ONCE = 5_000;

/**
 * Discards pending deliveries of deleted endpoints, in the transaction that deletes them. A job discards those beyond
 * the first 5,000. Returns whether more may be left.
 */
export async function discardDeliveries(db: Queryable, organizationId: string | null): Promise<boolean> {
  const wanted = { organizationId, max: AT_ONCE };
  return exactlyOne(await discardDeliveriesOfDeleted.run(wanted, db)).discarded === AT_ONCE;
}
