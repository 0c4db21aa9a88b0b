import { createHash } from "node:crypto";
import type { z } from "zod";
import * as subscriptions from "#sql/billing";
import { findLiveOrganization } from "../../core/access/live-organization.ts";
import { authorize } from "../../core/authorize/authorize.ts";
import type { App, OrganizationCall } from "../../core/context.ts";
import { lockOrganization } from "../../core/locks.ts";
import { isLiveStatus } from "../../core/plans/effective-plan.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { conflict, validationFailed } from "../../platform/errors.ts";
import { billingNotConfigured } from "./errors.ts";
import { isFinalForKey, type PaymentProvider } from "./provider.ts";
import type { CheckoutBody } from "./schemas.ts";

/** Returns the payment provider. @throws billingNotConfigured without a plan file, or without payment variables */
export function providerOf({ payments, config }: App): PaymentProvider {
  if (payments === null || config.billing.plans === null) throw billingNotConfigured();
  return payments;
}

/**
 * Returns the checkout page for a plan. The provider is called between transactions, so that no lock is held
 * meanwhile.
 * @throws validationFailed for a plan without this price; billingNotConfigured; forbidden; conflict if there is a
 * live subscription; providerError
 */
export async function checkout(
  call: OrganizationCall,
  { plan, interval }: z.output<typeof CheckoutBody>,
): Promise<{ url: string }> {
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
  const url = await provider.createCheckout({
    customerId,
    organizationId,
    priceId,
    successUrl: `${appUrl}/billing?checkout=success`,
    cancelUrl: `${appUrl}/billing?checkout=canceled`,
  });
  return { url };
}

/** Creates the customer of an organization: one in the database and at the provider, even for concurrent requests. */
async function makeCustomer(
  call: OrganizationCall,
  provider: PaymentProvider,
  { name, attempt }: { name: string; attempt: number },
): Promise<string> {
  const { organizationId: id } = call;
  const idempotencyKey = keyOf(id, name, attempt);
  const create = () => provider.createCustomer({ id, name, idempotencyKey });
  const customerId = await call.db.excludeFromDeadline(create).catch(async (error) => {
    if (isFinalForKey(error)) await skipAttempt(call, attempt);
    throw error;
  });
  return transaction(call, async (tx) => {
    await authorize(tx, "Billing.Create");
    return exactlyOne(await subscriptions.setCustomer.run({ organizationId: id, customerId }, tx.db))
      .customerId;
  });
}

/** Returns the idempotency key of a request, computed from all its values, the organization's name included. */
const keyOf = (...request: (string | number)[]) =>
  createHash("sha256").update(JSON.stringify(request)).digest("hex");

async function skipAttempt(call: OrganizationCall, attempt: number): Promise<void> {
  const { organizationId } = call;
  await transaction(call, async (tx) => {
    await lockOrganization(tx, organizationId);
    await subscriptions.skipCustomerAttempt.run({ organizationId, attempt }, tx.db);
  });
}

function priceOf({ config }: App, plan: string, interval: "month" | "year"): string {
  const { plans, prices } = config.billing;
  // Without payment variables no plan has a price; that is another error.
  if (plans === null || prices.length === 0) return "";
  if (!plans.plans.some(({ key, paid }) => key === plan && paid))
    throw validationFailed([{ path: "plan", message: "plan must be an existing plan" }]);
  const price = prices.find((one) => one.plan === plan && one.interval === interval);
  if (price === undefined)
    throw validationFailed([{ path: "interval", message: "interval must be one that the plan offers" }]);
  return price.priceId;
}

/**
 * Returns the customer portal of the organization.
 * @throws billingNotConfigured; forbidden; conflict for an organization without a customer; providerError
 */
export async function portal(call: OrganizationCall): Promise<{ url: string }> {
  const { app, organizationId } = call;
  const provider = providerOf(app);
  const customerId = await transaction(call, async (tx) => {
    await authorize(tx, "Billing.Update");
    const [copy] = await subscriptions.findOrganizationCustomer.run({ organizationId }, tx.db);
    if (!copy?.customerId) throw conflict();
    return copy.customerId;
  });
  return { url: await provider.createPortal({ customerId, returnUrl: `${app.config.appUrl}/billing` }) };
}
