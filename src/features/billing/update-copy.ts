import { isDeepStrictEqual } from "node:util";
import {
  type App,
  audit,
  type Call,
  changedFields,
  event,
  lockOrganization,
  type Tx,
  transaction,
} from "#kit";
import { feedEntry, isFollowed } from "#kit/inside";
import * as subscriptions from "#sql/billing";
import { effectivePlan, isLiveStatus } from "../../core/plans/effective-plan.ts";
import { presentPlan } from "../../core/plans/schemas.ts";
import type { PaymentProvider, ProviderSubscription } from "./provider.ts";
import { presentSubscription } from "./read.ts";

const MAX_ATTEMPTS = 10;

/**
 * The result of updating the stored copy of a subscription: it was updated, the event was processed before, or
 * nothing differed.
 */
export type Outcome = "applied" | "repeated" | "ignored";

/**
 * The customer whose subscription is updated, and the webhook event that caused it. Without an event it is a
 * reconciliation, which writes only if something differs.
 */
type Look = { customerId: string; eventId: string | null };

/**
 * Updates the stored copy of a customer's subscription from the provider (rules 19.15, 19.17). No lock is held while
 * the provider is called.
 * @throws every error of the provider; an error if the copy changed during every attempt
 */
export async function updateCopy(
  call: Call,
  provider: PaymentProvider,
  { customerId, eventId }: Look,
): Promise<Outcome> {
  for (let look = 1; look <= MAX_ATTEMPTS; look += 1) {
    const [known] = await subscriptions.findCustomer.run({ customerId }, call.db);
    if (known === undefined) return "ignored";
    const current = newest(await call.db.excludeFromDeadline(() => provider.listSubscriptions(customerId)));
    const after = copyOf(call.app, current);
    const { organizationId, version, hasMembers, ...before } = known;
    // A member who left while paying: nobody of the organization can cancel it (rules 13.13).
    if (!hasMembers && isLiveStatus(after.status) && !after.cancelAtPeriodEnd)
      call.log.error("a subscription of an organization without members renews", {
        organizationId,
        customerId,
      });
    if (eventId === null && isDeepStrictEqual(before, after)) return "ignored";
    const write = { organizationId, version, eventId, after };
    const outcome = await transaction(call, (tx) => writeCopy(tx, write));
    if (outcome !== null) return outcome;
  }
  throw new Error("The subscription changed at every look");
}
/** Returns the subscription that determines the plan: the newest live one, or the newest of all if none is live. */
function newest(all: ProviderSubscription[]): ProviderSubscription | null {
  const byAge = all.toSorted((one, other) => +other.createdAt - +one.createdAt);
  return byAge.find(({ status }) => isLiveStatus(status)) ?? byAge[0] ?? null;
}

type Copy = {
  subscriptionId: string | null;
  status: string | null;
  priceId: string | null;
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
};

/** Returns the copy of a subscription (rules 19.18). */
function copyOf({ config }: App, current: ProviderSubscription | null): Copy {
  if (current === null)
    return {
      subscriptionId: null,
      status: null,
      priceId: null,
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    };
  const { id, status, items, cancelAt } = current;
  const isOfPlan = (item: { priceId: string }) =>
    config.billing.prices.some(({ priceId }) => priceId === item.priceId);
  const item = items.find(isOfPlan) ?? items[0];
  const periodEnd = item?.periodEnd ?? null;
  return {
    subscriptionId: id,
    status,
    priceId: item?.priceId ?? null,
    currentPeriodEnd:
      cancelAt !== null && (periodEnd === null || cancelAt < periodEnd) ? cancelAt : periodEnd,
    cancelAtPeriodEnd: current.cancelAtPeriodEnd || cancelAt !== null,
  };
}

/** The fields of a subscription that no longer exists, as events contain them. */
const NONE = { status: null, plan: null, interval: null, currentPeriodEnd: null, cancelAtPeriodEnd: false };

type Write = { organizationId: string; version: number; eventId: string | null; after: Copy };

/**
 * Stores the provider's state of a subscription, once per event. Returns null if the stored copy has changed since
 * before the provider was called. That change may be newer, so the provider is called again.
 */
async function writeCopy(
  tx: Tx,
  { organizationId, version, eventId, after }: Write,
): Promise<Outcome | null> {
  await lockOrganization(tx, organizationId);
  const [before] = await subscriptions.lockSubscriptionCopy.run({ organizationId }, tx.db);
  if (before === undefined) return "ignored";
  if (before.version !== version) return null;
  const planBefore = await planForFeed(tx, organizationId);
  if (eventId !== null) {
    const [isNew] = await subscriptions.insertPaymentEvent.run({ id: eventId }, tx.db);
    if (isNew === undefined) return "repeated";
  }
  await subscriptions.updateSubscriptionCopy.run({ organizationId, ...after }, tx.db);
  const plan = await planForFeed(tx, organizationId);
  const planFrom = changedFields(planBefore, plan)?.from;
  if (planFrom !== undefined)
    await feedEntry(tx, "organization.plan_changed", {
      organizationId,
      id: organizationId,
      object: plan,
      previous: planFrom,
    });
  const [from, to] = [summary(tx.app, before), summary(tx.app, after)];
  const { prices } = tx.app.config.billing;
  const [shown, shownBefore] = [after, before].map((copy) => presentSubscription(prices, copy) ?? NONE);
  const previous = changedFields(shownBefore ?? NONE, shown ?? NONE)?.from;
  if (previous !== undefined)
    await event(tx, "subscription.updated", {
      organizationId,
      actorId: null,
      id: organizationId,
      object: shown ?? NONE,
      previous,
      reach: "organization",
    });
  if (isDeepStrictEqual(from, to)) return "applied";
  await audit(tx, "SUBSCRIPTION_CHANGED", {
    actorId: null,
    organizationId,
    target: { type: "organization", id: organizationId },
    metadata: { from, to },
  });
  return "applied";
}

/** Returns the plan of an organization as the feed of the product has it. It is read only if there is a product. */
async function planForFeed({ app, db }: Tx, organizationId: string) {
  const effective = isFollowed(app) ? await effectivePlan(app, db, organizationId) : null;
  return presentPlan(effective ?? undefined) ?? { key: null, source: null };
}

type Summed = Pick<Copy, "status" | "priceId" | "cancelAtPeriodEnd">;

/** Returns the fields of a subscription whose changes are notified to members of the organization. */
function summary({ config }: App, { status, priceId, cancelAtPeriodEnd }: Summed) {
  if (status === null) return null;
  const price = config.billing.prices.find((one) => one.priceId === priceId);
  return { status, plan: price?.plan ?? null, interval: price?.interval ?? null, cancelAtPeriodEnd };
}
