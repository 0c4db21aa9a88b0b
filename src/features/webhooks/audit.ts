import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, textExample, timestamp } from "#kit";

const webhookHost = z.object({
  host: textExample("hooks.example.com").describe("The host of the endpoint's address."),
});
const webhookTypes = z.array(textExample("unit.created")).describe("The types of events that are sent.");

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  WEBHOOK_ENDPOINT_CREATED: {
    target: "webhook_endpoint",
    metadata: webhookHost.extend({ eventTypes: webhookTypes }),
  },
  WEBHOOK_ENDPOINT_UPDATED: {
    target: "webhook_endpoint",
    metadata: changeOf(
      webhookHost.extend({
        eventTypes: webhookTypes,
        enabled: z.boolean().describe("Whether events are sent."),
      }),
    ),
  },
  WEBHOOK_ENDPOINT_DELETED: { target: "webhook_endpoint", metadata: webhookHost },
  WEBHOOK_ENDPOINT_DISABLED: {
    target: "webhook_endpoint",
    metadata: webhookHost.extend({
      reason: z
        .enum(["FAILING", "GONE", "NO_MEMBERS"])
        .describe(
          "Why: every attempt failed for five days, the endpoint responded with 410, or the last member left the organization.",
        ),
    }),
  },
  WEBHOOK_SECRET_ROTATED: {
    target: "webhook_endpoint",
    metadata: webhookHost.extend({ endsAt: timestamp.describe("When the previous secret ends.") }),
  },
} as const satisfies Record<string, AuditEntry>;
