import type { z } from "zod";
import type { Language, OrganizationCall } from "#kit";
import { featureNames, limitNames, planLimits } from "#kit/inside";
import * as subscriptions from "#sql/plans";
import { languageOf } from "../../core/accounts/user.ts";
import { decidePlan } from "../../core/plans/effective-plan.ts";
import type { Plans, Price } from "../../core/plans/plan-file.ts";
import { providerPrices } from "./prices.ts";
import type { Billing, Subscription } from "./schemas.ts";
import { planName } from "./texts.ts";

/** Like `readBilling`, and also returns the payment provider's prices. */
export async function getBilling(call: OrganizationCall): Promise<z.output<typeof Billing>> {
  const billing = await readBilling(call);
  const pricesOf = await providerPrices(call);
  return { ...billing, plans: billing.plans.map((plan) => ({ ...plan, prices: pricesOf(plan.key) })) };
}

/**
 * Returns the plan of the active organization and its source, the usage of each limit, and the plans that it can buy.
 * Does not call the provider.
 */
export async function readBilling(call: OrganizationCall) {
  const { app, db, organizationId } = call;
  const { plans, prices } = app.config.billing;
  const { secretKey, webhookSecret } = app.config.payments;
  const known = limitNames().map((name) => ({ name, ...planLimits()[name] }));
  const [language, [copy], ...used] = await Promise.all([
    languageOf(call),
    subscriptions.findSubscription.run({ organizationId }, db),
    ...known.map(({ count }) => count(db, organizationId)),
  ]);
  const effective = plans === null ? null : decidePlan(plans, prices, copy);
  return {
    enabled: plans !== null,
    configured: plans !== null && secretKey !== null && webhookSecret !== null && prices.length > 0,
    plan: effective && {
      key: effective.plan.key,
      name: planName(effective.plan.key, language),
      source: effective.source,
    },
    trialEndsAt: copy?.trialEndsAt?.toISOString() ?? null,
    subscription: copy === undefined ? null : presentSubscription(prices, copy),
    limits: known.map(({ name, text, per }, index) => ({
      name,
      label: text[language],
      limit: effective?.plan.limits[name] ?? null,
      used: used[index] ?? 0,
      resetsAt: per === "month" ? nextMonth() : null,
    })),
    features: effective?.plan.features ?? featureNames(),
    plans: plans === null ? [] : sold(plans, prices, language),
  };
}

/** Returns when the next calendar month of UTC begins. */
export function nextMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
}

type Copy = {
  status: string | null;
  priceId: string | null;
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
};

/** Returns the stored subscription as returned by the API; null if there is none. */
export function presentSubscription(prices: Price[], copy: Copy): z.output<typeof Subscription> | null {
  if (!copy.status) return null;
  const price = prices.find(({ priceId }) => priceId === copy.priceId);
  return {
    status: copy.status,
    plan: price?.plan ?? null,
    interval: price?.interval ?? null,
    currentPeriodEnd: copy.currentPeriodEnd?.toISOString() ?? null,
    cancelAtPeriodEnd: copy.cancelAtPeriodEnd,
  };
}

function sold({ plans }: Plans, prices: Price[], language: Language) {
  return plans
    .filter(({ paid }) => paid)
    .map(({ key, limits, features }) => ({
      key,
      name: planName(key, language),
      limits,
      features,
      intervals: prices.filter(({ plan }) => plan === key).map(({ interval }) => interval),
    }));
}
