import * as subscriptions from "#sql/plans";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { App } from "../context.ts";
import type { Plan, Plans, Price } from "./plan-file.ts";

export type PlanSource = "override" | "subscription" | "trial" | "default";
/** The plan of an organization, and its source. */
export type EffectivePlan = { plan: Plan; source: PlanSource };

/** The stored subscription of an organization; undefined for most organizations. */
type Copy = {
  planOverride: string | null;
  isOnTrial: boolean | null;
  status: string | null;
  priceId: string | null;
};

/** The subscription statuses in which the organization has the plan of its subscription (rules 19.4). */
const LIVE = new Set(["active", "trialing", "past_due"]);
export const isLiveStatus = (status: string | null): boolean => status !== null && LIVE.has(status);

/**
 * Decides the plan of an organization, in the order that rules 19.4 define: override, subscription, trial, default. A source
 * whose plan is no longer in the file is skipped.
 */
export function decidePlan(plans: Plans, prices: Price[], copy: Copy | undefined): EffectivePlan {
  const bought = isLiveStatus(copy?.status ?? null)
    ? prices.find(({ priceId }) => priceId === copy?.priceId)
    : undefined;
  const candidates: [PlanSource, string | null | undefined][] = [
    ["override", copy?.planOverride],
    ["subscription", bought?.plan],
    ["trial", copy?.isOnTrial ? plans.trial?.plan : null],
    ["default", plans.defaultPlan],
  ];
  for (const [source, key] of candidates) {
    const plan = plans.plans.find((one) => one.key === key);
    if (plan !== undefined) return { plan, source };
  }
  throw new Error("The default plan is none of the plans");
}

/** Returns the plan of an organization. Null if billing is off, which means no limits and all features. */
export async function effectivePlan(
  app: App,
  db: Queryable,
  organizationId: string,
): Promise<EffectivePlan | null> {
  const { plans, prices } = app.config.billing;
  if (plans === null) return null;
  const [copy] = await subscriptions.findSubscription.run({ organizationId }, db);
  return decidePlan(plans, prices, copy);
}

/** Whether the organization's plan has a feature. If billing is off, every organization has it. */
export async function hasFeature(
  { app, db }: { app: App; db: Queryable },
  organizationId: string,
  feature: string,
): Promise<boolean> {
  return (await effectivePlan(app, db, organizationId))?.plan.features.includes(feature) ?? true;
}

/** Returns the plans of several organizations by organization id; empty if billing is off. */
export async function effectivePlans(
  app: App,
  db: Queryable,
  organizationIds: string[],
): Promise<Map<string, EffectivePlan>> {
  const { plans, prices } = app.config.billing;
  if (plans === null || organizationIds.length === 0) return new Map();
  const copies = await subscriptions.listSubscriptions.run({ organizationIds }, db);
  const stored = new Map(copies.map((copy) => [copy.organizationId, copy]));
  return new Map(organizationIds.map((id) => [id, decidePlan(plans, prices, stored.get(id))]));
}
