import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "#kit";

const aboutEndpoint = z.object({
  endpointId: uuid.describe("The id of the webhook endpoint."),
  host: textExample("hooks.example.com").describe("The host of the endpoint's URL."),
  failingSince: timestamp
    .nullable()
    .describe("Since when every attempt has failed; null if the last one succeeded."),
  reason: z
    .enum(["FAILING", "GONE"])
    .nullable()
    .describe("Why the endpoint was disabled; null for a warning."),
  organizationId: uuid.describe("The organization of the endpoint."),
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  WEBHOOK_ENDPOINT_FAILING: aboutEndpoint,
  WEBHOOK_ENDPOINT_DISABLED: aboutEndpoint,
} as const satisfies Record<string, z.ZodObject>;
