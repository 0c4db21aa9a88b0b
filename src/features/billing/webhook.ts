import { z } from "zod";
import * as subscriptions from "#sql/billing";
import type { App, Call, Tx } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { lockOrganization } from "../../core/locks.ts";
import { isLiveStatus } from "../../core/plans/effective-plan.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { ApiError, malformedJson } from "../../platform/errors.ts";
import { providerOf } from "./checkout.ts";
import { invalidSignature } from "./errors.ts";
import type { PaymentProvider, ProviderSubscription } from "./provider.ts";
import { isSignatureValid } from "./signature.ts";

/** What matters here; anything else is taken and forgotten. Whatever else it says is read from the provider. */
const Event = z.object({
  id: z.string(),
  type: z.enum([
    "checkout.session.completed",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
  ]),
  data: z.object({ object: z.object({ customer: z.union([z.string(), z.object({ id: z.string() })]) }) }),
});
const MAX_ATTEMPTS = 10;
const SERVER_ERROR = 500;

/** So that nobody makes the service wait for bodies without even trying a signature. @throws billingNotConfigured, invalidSignature */
export function assertSignatureHeader(headers: Headers, app: App): void {
  providerOf(app);
  if (headers.get("stripe-signature")) return;
  app.meter.count("webhook_events_total", { outcome: "refused" });
  throw invalidSignature();
}

/**
 * Takes an event of the payment provider (rules 19.14, 19.15). It only says that something changed: what is so now is
 * read from the provider, so late, doubled and out-of-order events leave the copy as the provider has it.
 * @throws billingNotConfigured, invalidSignature, malformedJson; what the provider's failure throws, so that it tries again
 */
export async function receiveEvent(call: Call, body: Uint8Array, signature: string | null): Promise<void> {
  const provider = providerOf(call.app);
  try {
    const outcome = await take(call, provider, body, signature);
    call.app.meter.count("webhook_events_total", { outcome });
  } catch (error) {
    const outcome = error instanceof ApiError && error.status < SERVER_ERROR ? "refused" : "failed";
    call.app.meter.count("webhook_events_total", { outcome });
    throw error;
  }
}

/** What became of an accepted event: applied, applied before, or not relevant. */
type Outcome = "taken" | "repeated" | "ignored";

async function take(
  call: Call,
  provider: PaymentProvider,
  body: Uint8Array,
  signature: string | null,
): Promise<Outcome> {
  if (!isSignatureValid(body, signature, call.app.config.payments.webhookSecret ?? ""))
    throw invalidSignature();
  const event = Event.safeParse(parsed(body)).data;
  if (event === undefined) return "ignored";
  const { customer } = event.data.object;
  const customerId = typeof customer === "string" ? customer : customer.id;

  for (let look = 1; look <= MAX_ATTEMPTS; look += 1) {
    const [known] = await subscriptions.findCustomer.run({ customerId }, call.app.db);
    if (known === undefined) return "ignored";
    const current = newest(await call.app.db.pauseWhile(() => provider.listSubscriptions(customerId)));
    const outcome = await transaction(call, (tx) => copy(tx, event, known, current));
    if (outcome !== null) return outcome;
  }
  throw new Error("The subscription changed at every look");
}

/** @throws malformedJson */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw malformedJson();
  }
}

/** Of several live ones the newest counts; without a live one, the newest. */
function newest(all: ProviderSubscription[]): ProviderSubscription | null {
  const byAge = all.toSorted((one, other) => +other.createdAt - +one.createdAt);
  return byAge.find(({ status }) => isLiveStatus(status)) ?? byAge[0] ?? null;
}

type Known = { organizationId: string; version: number };

/**
 * Writes what the provider said, once for each event. Null when the copy has moved since before the provider was
 * asked: somebody may know better by now, so it is asked again.
 */
async function copy(
  tx: Tx,
  { id }: { id: string },
  { organizationId, version }: Known,
  current: ProviderSubscription | null,
): Promise<Outcome | null> {
  await lockOrganization(tx, organizationId);
  const [before] = await subscriptions.lockSubscriptionCopy.run({ organizationId }, tx.db);
  if (before === undefined) return "ignored";
  if (before.version !== version) return null;
  const [isNew] = await subscriptions.insertPaymentEvent.run({ id }, tx.db);
  if (isNew === undefined) return "repeated";

  const after = {
    subscriptionId: current?.id ?? null,
    status: current?.status ?? null,
    priceId: knownPrice(tx.app, current),
    currentPeriodEnd: current?.currentPeriodEnd ?? null,
    cancelAtPeriodEnd: current?.cancelAtPeriodEnd ?? false,
  };
  await subscriptions.updateSubscriptionCopy.run({ organizationId, ...after }, tx.db);
  const [from, to] = [summary(tx.app, before), summary(tx.app, after)];
  if (JSON.stringify(from) === JSON.stringify(to)) return "taken";
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

type Copied = { status: string | null; priceId: string | null; cancelAtPeriodEnd: boolean };

/** What of a subscription matters to the people of the organization. */
function summary({ config }: App, { status, priceId, cancelAtPeriodEnd }: Copied) {
  if (status === null) return null;
  const price = config.billing.prices.find((one) => one.priceId === priceId);
  return { status, plan: price?.plan ?? null, interval: price?.interval ?? null, cancelAtPeriodEnd };
}
