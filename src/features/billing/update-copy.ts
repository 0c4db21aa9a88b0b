import { isDeepStrictEqual } from "node:util";
import * as subscriptions from "#sql/billing";
import type { App, Call, Tx } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { lockOrganization } from "../../core/locks.ts";
import { isLiveStatus } from "../../core/plans/effective-plan.ts";
import { transaction } from "../../platform/db/transaction.ts";
import type { PaymentProvider, ProviderSubscription } from "./provider.ts";

const MAX_ATTEMPTS = 10;

/** What became of a look at the provider: applied, the same event applied before, or nothing to do. */
export type Outcome = "taken" | "repeated" | "ignored";

/** Whose copy; with the event that asks for it, or null for a look without one, which writes only what differs. */
type Look = { customerId: string; eventId: string | null };

/**
 * Makes the copy of a customer's subscription what the provider has now (rules 19.15, 19.17). No lock is held while the
 * provider is asked.
 * @throws what the provider throws; if the copy changed at every attempt
 */
export async function updateCopy(
  call: Call,
  provider: PaymentProvider,
  { customerId, eventId }: Look,
): Promise<Outcome> {
  for (let look = 1; look <= MAX_ATTEMPTS; look += 1) {
    const [known] = await subscriptions.findCustomer.run({ customerId }, call.db);
    if (known === undefined) return "ignored";
    const current = newest(await call.db.pauseWhile(() => provider.listSubscriptions(customerId)));
    const after = copyOf(call.app, current);
    const { organizationId, version, ...before } = known;
    if (eventId === null && isDeepStrictEqual(before, after)) return "ignored";
    const write = { organizationId, version, eventId, after };
    const outcome = await transaction(call, (tx) => writeCopy(tx, write));
    if (outcome !== null) return outcome;
  }
  throw new Error("The subscription changed at every look");
}
/** Of several live ones the newest counts; without a live one, the newest. */
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

const copyOf = (app: App, current: ProviderSubscription | null): Copy => ({
  subscriptionId: current?.id ?? null,
  status: current?.status ?? null,
  priceId: knownPrice(app, current),
  currentPeriodEnd: current?.currentPeriodEnd ?? null,
  cancelAtPeriodEnd: current?.cancelAtPeriodEnd ?? false,
});

type Write = { organizationId: string; version: number; eventId: string | null; after: Copy };

/**
 * Writes what the provider said, once for each event. Null when the copy has moved since before the provider was
 * asked: somebody may know better by now, so it is asked again.
 */
async function writeCopy(
  tx: Tx,
  { organizationId, version, eventId, after }: Write,
): Promise<Outcome | null> {
  await lockOrganization(tx, organizationId);
  const [before] = await subscriptions.lockSubscriptionCopy.run({ organizationId }, tx.db);
  if (before === undefined) return "ignored";
  if (before.version !== version) return null;
  if (eventId !== null) {
    const [isNew] = await subscriptions.insertPaymentEvent.run({ id: eventId }, tx.db);
    if (isNew === undefined) return "repeated";
  }
  await subscriptions.updateSubscriptionCopy.run({ organizationId, ...after }, tx.db);
  const [from, to] = [summary(tx.app, before), summary(tx.app, after)];
  if (isDeepStrictEqual(from, to)) return "taken";
  await audit(tx, "SUBSCRIPTION_CHANGED", {
    actorId: null,
    organizationId,
    target: { type: "organization", id: organizationId },
    metadata: { from, to },
  });
  return "taken";
}

/** The price by which a plan is sold; of one that is not, the first. */
function knownPrice({ config }: App, subscription: ProviderSubscription | null): string | null {
  const ids = subscription?.priceIds ?? [];
  return ids.find((id) => config.billing.prices.some(({ priceId }) => priceId === id)) ?? ids[0] ?? null;
}

type Summed = Pick<Copy, "status" | "priceId" | "cancelAtPeriodEnd">;

/** What of a subscription matters to the people of the organization. */
function summary({ config }: App, { status, priceId, cancelAtPeriodEnd }: Summed) {
  if (status === null) return null;
  const price = config.billing.prices.find((one) => one.priceId === priceId);
  return { status, plan: price?.plan ?? null, interval: price?.interval ?? null, cancelAtPeriodEnd };
}
