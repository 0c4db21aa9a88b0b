import * as subscriptions from "#sql/plans";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { App } from "../context.ts";
import { isLiveStatus } from "./effective-plan.ts";

/** Returns the live subscriptions of these organizations, by which they pay for a plan now, by organization id. */
export async function findLiveSubscriptions(
  { app, db }: { app: App; db: Queryable },
  organizationIds: string[],
): Promise<Map<string, { plan: string | null; renews: boolean }>> {
  if (organizationIds.length === 0) return new Map();
  const copies = await subscriptions.listSubscriptions.run({ organizationIds }, db);
  const live = copies.filter(({ status }) => isLiveStatus(status));
  const planOf = (id: string | null) => app.config.billing.prices.find(({ priceId }) => priceId === id)?.plan;
  return new Map(
    live.map(({ organizationId, priceId, cancelAtPeriodEnd }) => [
      organizationId,
      { plan: planOf(priceId) ?? null, renews: !cancelAtPeriodEnd },
    ]),
  );
}
