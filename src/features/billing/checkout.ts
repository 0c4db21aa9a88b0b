import { createHash } from "node:crypto";
import type { z } from "zod";
import {
  type App,
  authorize,
  conflict,
  exactlyOne,
  lockOrganization,
  type OrganizationCall,
  transaction,
  validationFailed,
} from "#kit";
import type { KeyedCall, LastStep } from "#kit/inside";
import * as subscriptions from "#sql/billing";
import { findLiveOrganization } from "../../core/access/active-organization.ts";
import { isLiveStatus } from "../../core/plans/effective-plan.ts";
import type { Plans } from "../../core/plans/plan-file.ts";
import { billingNotConfigured } from "./errors.ts";
import type { PaymentProvider } from "./provider.ts";
import type { CheckoutBody, PortalBody } from "./schemas.ts";

/**
 * Returns the client of the payment provider. @throws billingNotConfigured without a plan file, or without payment
 * variables
 */
export function providerOf({ payments, config }: App): PaymentProvider {
  if (payments === null || config.billing.plans === null) throw billingNotConfigured();
  return payments;
}

/**
 * Returns the URL of the checkout page for a plan. The provider is called between transactions, so that no lock is
 * held during the call.
 * @throws validationFailed for a plan without this price; billingNotConfigured; forbidden; conflict if there is a
 * live subscription; providerError
 */
export async function checkout(
  call: OrganizationCall & KeyedCall,
  { plan, interval }: z.output<typeof CheckoutBody>,
  last: LastStep<OrganizationCall>,
) {
  const { app, organizationId } = call;
  const priceId = priceOf(app, plan, interval);
  const provider = providerOf(app);
  const { appUrl } = app.config;
  const customer = await transaction(call, async (tx) => {
    await authorize(tx, "Billing.Create");
    const { name } = await findLiveOrganization(tx.db, organizationId);
    const [copy] = await subscriptions.findOrganizationCustomer.run({ organizationId }, tx.db);
    if (isLiveStatus(copy?.status ?? null)) throw conflict();
    return { id: copy?.customerId ?? null, name, attempt: copy?.customerAttempt ?? 0 };
  });
  const customerId = customer.id ?? (await makeCustomer(call, provider, customer));
  const order = {
    customerId,
    organizationId,
    priceId,
    successUrl: `${appUrl}/billing?checkout=success`,
    cancelUrl: `${appUrl}/billing?checkout=canceled`,
  };
  const request = derivedRequest(call, [customerId, priceId]);
  const url = await withKey(call, customer.attempt, request, (idempotencyKey) =>
    provider.createCheckout({ ...order, idempotencyKey }),
  );
  return last(async () => ({ url }));
}

/**
 * Creates the payment customer of an organization: only one in the database and at the provider, even for
 * concurrent requests.
 */
async function makeCustomer(
  call: OrganizationCall,
  provider: PaymentProvider,
  { name, attempt }: { name: string; attempt: number },
): Promise<string> {
  const { organizationId: id } = call;
  const customerId = await withKey(call, attempt, [id, name], (idempotencyKey) =>
    provider.createCustomer({ id, name, idempotencyKey }),
  );
  return transaction(call, async (tx) => {
    await authorize(tx, "Billing.Create");
    return exactlyOne(await subscriptions.setCustomer.run({ organizationId: id, customerId }, tx.db))
      .customerId;
  });
}

/**
 * Returns the values by which the payment provider recognizes a repeated request: organization, idempotency key and
 * input.
 */
const derivedRequest = (
  { organizationId, idempotencyKey }: OrganizationCall & KeyedCall,
  values: string[],
): string[] | null =>
  idempotencyKey && [organizationId, idempotencyKey.callerId, idempotencyKey.keyHash, ...values];

/**
 * Sends a request to the provider, with an idempotency key computed from all values; without values, without a key.
 * If the provider would repeat its error for this key, the next request of the organization uses another key.
 */
async function withKey<T, Request extends string[] | null>(
  call: OrganizationCall,
  attempt: number,
  request: Request,
  send: (idempotencyKey: Request extends null ? string | undefined : string) => Promise<T>,
): Promise<T> {
  const key =
    request &&
    createHash("sha256")
      .update(JSON.stringify([...request, attempt]))
      .digest("hex");
  try {
    return await call.db.excludeFromDeadline(() => send((key ?? undefined) as never));
  } catch (error) {
    if (providerOf(call.app).isFinalForKey(error as { cause?: unknown })) await skipAttempt(call, attempt);
    throw error;
  }
}

async function skipAttempt(call: OrganizationCall, attempt: number): Promise<void> {
  const { organizationId } = call;
  await transaction(call, async (tx) => {
    await lockOrganization(tx, organizationId);
    await subscriptions.skipCustomerAttempt.run({ organizationId, attempt }, tx.db);
  });
}

function priceOf({ config }: App, plan: string, interval: "month" | "year"): string {
  const { plans, prices } = config.billing;
  // Without payment variables no plan has a price. Checkout then fails with billingNotConfigured, not with an unknown plan.
  if (plans === null || prices.length === 0) return "";
  if (!isSold(plans, plan)) throw unknownPlan();
  const price = prices.find((one) => one.plan === plan && one.interval === interval);
  if (price === undefined)
    throw validationFailed([{ path: "interval", message: "interval must be one that the plan offers" }]);
  return price.priceId;
}

const isSold = ({ plans }: Plans, plan: string) => plans.some(({ key, paid }) => key === plan && paid);
const unknownPlan = () => validationFailed([{ path: "plan", message: "plan must be an existing plan" }]);

/**
 * Returns the URL of the customer portal of the organization. With a plan, the portal opens where the subscription
 * is changed.
 * @throws validationFailed for a plan that is not sold; billingNotConfigured; forbidden; conflict for an
 * organization without a customer, or with a plan and without a live subscription; providerError
 */
export async function portal(
  call: OrganizationCall & KeyedCall,
  { plan }: z.output<typeof PortalBody>,
  last: LastStep<OrganizationCall>,
) {
  const { app, organizationId } = call;
  const { plans } = app.config.billing;
  if (plan !== undefined && plans !== null && !isSold(plans, plan)) throw unknownPlan();
  const provider = providerOf(app);
  const { customerId, attempt, subscriptionToChange } = await transaction(call, async (tx) => {
    await authorize(tx, "Billing.Update");
    const [copy] = await subscriptions.findOrganizationCustomer.run({ organizationId }, tx.db);
    if (!copy?.customerId) throw conflict();
    if (plan !== undefined && (copy.subscriptionId === null || !isLiveStatus(copy.status))) throw conflict();
    return {
      customerId: copy.customerId,
      attempt: copy.customerAttempt,
      subscriptionToChange: plan === undefined ? null : copy.subscriptionId,
    };
  });
  const visit = { customerId, subscriptionToChange, returnUrl: `${app.config.appUrl}/billing` };
  const url = await withKey(
    call,
    attempt,
    derivedRequest(call, [customerId, ...(plan === undefined ? [] : [plan])]),
    (idempotencyKey) => provider.createPortal({ ...visit, idempotencyKey }),
  );
  return last(async () => ({ url }));
}
