import { endpoint, reply } from "../../core/api/endpoint.ts";
import {
  billingNotConfigured,
  conflict,
  invalidSignature,
  malformedJson,
  organizationOverrideNotAllowed,
  providerError,
  unauthenticated,
} from "../../platform/errors.ts";
import { checkout, portal } from "./checkout.ts";
import { getBilling } from "./read.ts";
import { Address, Billing, CheckoutBody, Received } from "./schemas.ts";
import { receiveEvent, refuseUnsigned } from "./webhook.ts";

const WEBHOOK_BYTES = 1024 * 1024;
const FOR_ITSELF = "An organization buys for itself: platform administrators are always refused.";

export const billingEndpoints = [
  endpoint(
    {
      operationId: "getBilling",
      method: "get",
      path: "/api/organization/billing",
      tag: "billing",
      summary: "Read the plan, its usage and what could be bought",
      description: "Names are in the caller's language.",
      access: { permission: "Billing.Read" },
      answers: { 200: { description: "The plan", schema: Billing } },
      refusals: [unauthenticated],
    },
    async (call) => reply(200, await getBilling(call)),
  ),

  endpoint(
    {
      operationId: "checkout",
      method: "post",
      path: "/api/organization/billing/checkout",
      tag: "billing",
      summary: "Buy a plan",
      description: `Answers the address of the payment provider's page, which leads back to \`/billing?checkout=success\` or \`canceled\`. ${FOR_ITSELF}`,
      access: { permission: "Billing.Create" },
      refusesPlatformAdmins: organizationOverrideNotAllowed,
      body: CheckoutBody,
      example: { plan: "pro", interval: "month" },
      answers: { 200: { description: "Where to pay", schema: Address } },
      refusals: [billingNotConfigured, conflict, providerError],
    },
    async (call, { body }) => reply(200, await checkout(call, body)),
  ),

  endpoint(
    {
      operationId: "openPortal",
      method: "post",
      path: "/api/organization/billing/portal",
      tag: "billing",
      summary: "Manage the subscription",
      description: `Answers the address of the payment provider's portal, which leads back to \`/billing\`. ${FOR_ITSELF}`,
      access: { permission: "Billing.Update" },
      refusesPlatformAdmins: organizationOverrideNotAllowed,
      answers: { 200: { description: "Where to manage it", schema: Address } },
      refusals: [billingNotConfigured, conflict, providerError],
    },
    async (call) => reply(200, await portal(call)),
  ),

  endpoint(
    {
      operationId: "receivePaymentEvent",
      method: "post",
      path: "/api/billing/webhook",
      tag: "billing",
      summary: "Hear from the payment provider",
      description:
        "Called by the provider alone, signed in `Stripe-Signature`. Events that mean nothing here are taken and forgotten.",
      access: "public",
      rawBodyBytes: WEBHOOK_BYTES,
      beforeBody: refuseUnsigned,
      answers: { 200: { description: "Taken", schema: Received } },
      refusals: [invalidSignature, malformedJson, billingNotConfigured],
    },
    async (call, _input, request, bytes) => {
      await receiveEvent(call, bytes, request.headers.get("stripe-signature"));
      return reply(200, { received: true as const });
    },
  ),
];
