import { conflict, idempotentInSteps, json, jsonBody, Router, rawBody, route, unauthenticated } from "#kit";
import { malformedJson, providerError } from "#kit/inside";
import { checkout, portal } from "./checkout.ts";
import { billingNotConfigured, invalidSignature, organizationOverrideNotAllowed } from "./errors.ts";
import { getBilling } from "./read.ts";
import { Billing, BillingAddress, CheckoutBody, PortalBody, Received } from "./schemas.ts";
import { assertSignatureHeader, receiveEvent } from "./webhook.ts";

const WEBHOOK_BYTES = 1024 * 1024;
const FOR_ITSELF = "Platform administrators cannot call this: an organization buys for itself.";

const getBillingRoute = route({
  operationId: "getBilling",
  method: "get",
  path: "/api/organization/billing",
  summary: "Get the plan, its usage and the plans for sale",
  description: "Names are in the caller's language.",
  access: { permission: "Billing.Read" },
  productKey: true,
  // Sums what a product counts for the organization.
  reads: "list",
  responses: { 200: json(Billing, "The plan") },
  errors: [unauthenticated],
});

const checkoutRoute = route({
  operationId: "checkout",
  method: "post",
  path: "/api/organization/billing/checkout",
  summary: "Buy a plan",
  description: `Returns the address of the payment provider's page, which redirects back to \`/billing?checkout=success\` or \`/billing?checkout=canceled\`. ${FOR_ITSELF}`,
  access: { permission: "Billing.Create" },
  apiKeys: false,
  refusesPlatformAdmins: organizationOverrideNotAllowed,
  reauthentication: { classes: ["billing"] },
  request: { body: jsonBody(CheckoutBody, { plan: "pro", interval: "month" }) },
  responses: { 200: json(BillingAddress, "The address to open") },
  idempotent: true,
  isSecret: true,
  errors: [billingNotConfigured, conflict, providerError],
});

const openPortalRoute = route({
  operationId: "openPortal",
  method: "post",
  path: "/api/organization/billing/portal",
  summary: "Manage the subscription",
  description: `Returns the address of the payment provider's portal, which redirects back to \`/billing\`. With \`plan\`, the portal opens at the change of a live subscription to this plan. ${FOR_ITSELF}`,
  access: { permission: "Billing.Update" },
  apiKeys: false,
  refusesPlatformAdmins: organizationOverrideNotAllowed,
  reauthentication: { classes: ["billing"] },
  request: { body: jsonBody(PortalBody, {}) },
  responses: { 200: json(BillingAddress, "The address to open") },
  idempotent: true,
  isSecret: true,
  errors: [billingNotConfigured, conflict, providerError],
});

const receivePaymentEventRoute = route({
  operationId: "receivePaymentEvent",
  method: "post",
  path: "/api/billing/webhook",
  summary: "Receive a payment webhook",
  description:
    "Only for the payment provider, which signs the request in `Stripe-Signature`. Unknown events are acknowledged and ignored.",
  access: "public",
  request: { body: rawBody(WEBHOOK_BYTES) },
  responses: { 200: json(Received, "The event was accepted") },
  errors: [invalidSignature, malformedJson, billingNotConfigured],
  beforeBody: assertSignatureHeader,
});

export const billingRoutes = new Router("billing")
  .openapi(getBillingRoute, async (c) => c.json(await getBilling(c.var.call), 200))
  .openapi(checkoutRoute, (c) =>
    idempotentInSteps(c, 200, (last) => checkout(c.var.call, c.req.valid("json"), last)),
  )
  .openapi(openPortalRoute, (c) =>
    idempotentInSteps(c, 200, (last) => portal(c.var.call, c.req.valid("json"), last)),
  )
  .openapi(receivePaymentEventRoute, async (c) => {
    await receiveEvent(c.var.call, c.var.bytes, c.req.raw.headers.get("stripe-signature"));
    return c.json({ received: true as const }, 200);
  });
