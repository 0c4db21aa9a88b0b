import { z } from "@hono/zod-openapi";
import {
  deferred,
  filter,
  listQuery,
  longText,
  pageOf,
  pathId,
  search,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { eventTypeNames, overlapSeconds } from "#kit/inside";
import { after, cursorPageOf, cursorPageSize, EventActor, someOf } from "../events/schemas.ts";

const URL_EXAMPLE = "https://hooks.example.com/events";

export const ENDPOINT_REASONS = ["MANUAL", "FAILING", "GONE", "CREATOR_DELETED", "NO_MEMBERS"] as const;

export const WebhookEndpoint = z
  .object({
    id: uuid.describe("The id of the endpoint."),
    url: textExample(URL_EXAMPLE).describe("The address to which events are sent."),
    description: textExample("Warehouse").describe("What the endpoint is for; may be empty."),
    eventTypes: z
      .array(textExample("unit.created"))
      .describe("The types of events that are sent; `*` for all."),
    enabled: z.boolean().describe("Whether events are sent."),
    disabledReason: z
      .enum(ENDPOINT_REASONS)
      .nullable()
      .describe(
        "Why it is disabled. `FAILING`: every attempt failed for five days. `GONE`: it responded with 410. `CREATOR_DELETED`: the service account that created it was deleted. `NO_MEMBERS`: the last member left the organization.",
      ),
    disabledAt: timestamp.nullable().describe("When the endpoint was disabled."),
    failingSince: timestamp.nullable().describe("Since when every attempt has failed; null after a success."),
    lastSuccessAt: timestamp.nullable().describe("When an attempt last succeeded."),
    pendingCount: z
      .int()
      .openapi({ example: 0 })
      .describe("The number of pending deliveries, at most 100,000."),
    previousSecretEndsAt: timestamp
      .nullable()
      .describe("Until when the previous secret signs too; null if there is none."),
    createdBy: EventActor.nullable().describe("Who created the endpoint."),
    createdAt: timestamp.describe("When the endpoint was created."),
  })
  .openapi("WebhookEndpoint");

const secret = textExample("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=").nullable();
const SECRET =
  "The secret that signs requests. It is shown only in this response; null if the response is repeated.";

export const NewWebhookEndpoint = WebhookEndpoint.extend({ secret: secret.describe(SECRET) }).openapi(
  "NewWebhookEndpoint",
);
export const RotatedWebhookSecret = z
  .object({
    secret: secret.describe(SECRET),
    previousSecretEndsAt: timestamp.describe("Until when the previous secret signs too."),
  })
  .openapi("RotatedWebhookSecret");

export const WebhookEndpointPage = pageOf(WebhookEndpoint).openapi("WebhookEndpointPage");
export const WebhookEndpointPath = z.strictObject({ id: pathId("endpoint") });
export const WebhookEndpointQuery = listQuery({ sorts: ["createdAt"], defaultOrder: "desc" }, { search });

const MAX_TYPES = 50;
const url = z.string().max(2_048).openapi({ example: URL_EXAMPLE });
const description = longText({ min: 0, max: 500 });
const eventTypes = deferred(() => {
  const names = [...eventTypeNames(), "*" as const];
  return z
    .array(z.enum(names))
    .min(1)
    .max(MAX_TYPES)
    .transform((types) => [...new Set(types)])
    .openapi({
      type: "array",
      items: { type: "string", enum: names },
      minItems: 1,
      maxItems: MAX_TYPES,
    });
});

export const CreateWebhookEndpointBody = z
  .strictObject({
    url: url.describe("A public https address on an allowed port."),
    eventTypes: eventTypes.describe("The types of events to send; `*` for all, later ones included."),
    description: description.default("").describe("What the endpoint is for."),
  })
  .openapi("CreateWebhookEndpointBody");

export const UpdateWebhookEndpointBody = z
  .strictObject({
    url: url.optional().describe("The new address."),
    eventTypes: eventTypes.optional().describe("All types of events to send from now on."),
    description: description.optional().describe("The new description."),
    enabled: z.boolean().optional().describe("Whether events are sent."),
  })
  .openapi("UpdateWebhookEndpointBody");

export const RotateWebhookSecretBody = z
  .strictObject({
    overlapSeconds: overlapSeconds.describe("How long the previous secret signs too, in seconds."),
  })
  .openapi("RotateWebhookSecretBody");

const time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .openapi({ type: "string", format: "date-time", example: "2026-01-31T09:30:00.000Z" });
export const RecoverWebhookBody = z
  .strictObject({
    from: time.describe("Events from this time on."),
    to: time.optional().describe("Events until this time."),
  })
  .openapi("RecoverWebhookBody");
export const RecoveredWebhooks = z
  .object({
    count: z.int().openapi({ example: 12 }).describe("The number of deliveries that became pending."),
  })
  .openapi("RecoveredWebhooks");

export const WebhookAttempt = z
  .object({
    number: z.int().openapi({ example: 1 }).describe("The number of the attempt, from 1."),
    startedAt: timestamp.describe("When the attempt began."),
    durationMs: z.int().openapi({ example: 120 }).describe("How long the attempt took, in milliseconds."),
    status: z
      .int()
      .nullable()
      .openapi({ example: 200 })
      .describe("The status of the response; null without one."),
    error: z
      .enum(["TIMEOUT", "DNS_FAILED", "CONNECTION_FAILED", "TLS_FAILED", "ADDRESS_NOT_ALLOWED"])
      .nullable()
      .describe("Why the attempt got no response."),
    responseExcerpt: textExample("ok").nullable().describe("The beginning of the response, as text."),
  })
  .openapi("WebhookAttempt");

export const DELIVERY_STATES = ["PENDING", "SUCCEEDED", "FAILED", "DISCARDED"] as const;
export const WebhookDelivery = z
  .object({
    id: uuid.describe("The id of the delivery."),
    eventId: uuid.describe("The id of the event, which is the `webhook-id` of every attempt."),
    eventType: textExample("unit.created").describe("The type of the event."),
    sequence: z.int().openapi({ example: 42 }).describe("The number of the event; 0 for a test."),
    state: z
      .enum(DELIVERY_STATES)
      .describe(
        "`FAILED`: all attempts failed. `DISCARDED`: 100,000 deliveries were already pending, or the endpoint was deleted.",
      ),
    attemptCount: z.int().openapi({ example: 1 }).describe("The number of attempts."),
    nextAttemptAt: timestamp.nullable().describe("When the next attempt is due; null if there is none."),
    createdAt: timestamp.describe("When the delivery was created."),
    lastAttempt: WebhookAttempt.nullable().describe("The last attempt."),
  })
  .openapi("WebhookDelivery");
export const WebhookDeliveryPage = cursorPageOf(WebhookDelivery).openapi("WebhookDeliveryPage");
export const WebhookDeliveryDetails = WebhookDelivery.extend({
  attempts: z.array(WebhookAttempt).describe("All attempts, the first one first."),
  payload: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The event as it is sent; null if you may not read its type, or it is no longer kept."),
}).openapi("WebhookDeliveryDetails");
export const WebhookDeliveryPath = z.strictObject({
  id: pathId("endpoint"),
  deliveryId: pathId("delivery"),
});

export const WebhookDeliveryQuery = z.strictObject({
  after: after("Cursor of the previous page."),
  pageSize: cursorPageSize,
  state: filter(someOf(DELIVERY_STATES), "Only deliveries in these states."),
  type: filter(
    deferred(() => someOf([...eventTypeNames(), "webhook.test"])),
    "Only deliveries of events of these types.",
  ),
  eventId: filter(uuid, "Only deliveries of this event."),
});

export const WebhookEventType = z
  .object({
    type: textExample("unit.created").describe("The name of the type."),
    version: z.literal(1).describe("The version of the format of the event's data."),
    permission: textExample("Units.Read")
      .nullable()
      .describe("The permission that is needed to read events of this type; null for `webhook.test`."),
    description: textExample("A unit was created.").describe("When the event is written."),
    example: z.record(z.string(), z.unknown()).describe("An event of the type."),
  })
  .openapi("WebhookEventType");
