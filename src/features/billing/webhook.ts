import { z } from "zod";
import { ApiError, type App, type Call, serviceUnavailable } from "#kit";
import { malformedJson } from "#kit/inside";
import { providerOf } from "./checkout.ts";
import { invalidSignature } from "./errors.ts";
import type { PaymentProvider } from "./provider.ts";
import { isSignatureValid } from "./signature.ts";
import { type Outcome, updateCopy } from "./update-copy.ts";

/**
 * The event types of the payment provider that the service handles; others are acknowledged and ignored. Only the
 * customer is read from an event, everything else from the provider's API.
 */
const Event = z.object({
  id: z.string(),
  type: z.enum([
    "checkout.session.completed",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
  ]),
  data: z.object({ object: z.object({ customer: z.union([z.string(), z.object({ id: z.string() })]) }) }),
});
const SERVER_ERROR = 500;

/**
 * Checks the signature header before the body is read, so that clients without a signature cannot make the service
 * wait for a body. @throws billingNotConfigured, invalidSignature
 */
export function assertSignatureHeader(headers: Headers, app: App): void {
  providerOf(app);
  if (headers.get("stripe-signature")) return;
  app.meter.count("webhook_events_total", { outcome: "refused" });
  throw invalidSignature();
}

/**
 * Handles a webhook event of the payment provider (rules 19.14, 19.15). An event only says that something changed.
 * The current state is read from the provider, so late, duplicate and out-of-order events do no harm.
 * @throws billingNotConfigured, invalidSignature, malformedJson; serviceUnavailable if the provider cannot be
 * reached, so that it sends the event again
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
  try {
    return await updateCopy(call, provider, { customerId, eventId: event.id });
  } catch (error) {
    throw provider.isOfProvider(error) ? serviceUnavailable(error) : error;
  }
}

/** Parses the body of a webhook event. @throws malformedJson */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw malformedJson();
  }
}
