import { z } from "@hono/zod-openapi";
import { type AuditEntry, fromTo, textExample } from "#kit";

const plan = textExample("pro").nullable();
const subscription = z
  .object({
    status: textExample("active").describe("The payment provider's status of the subscription."),
    plan: plan.describe("The key of the plan."),
    interval: z.enum(["month", "year"]).nullable().describe("The payment interval of the subscription."),
    cancelAtPeriodEnd: z.boolean().describe("Whether the subscription ends by itself, without a renewal."),
  })
  .nullable();

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  ORGANIZATION_PLAN_CHANGED: { target: "organization", metadata: fromTo(plan) },
  SUBSCRIPTION_CHANGED: { target: "organization", metadata: fromTo(subscription) },
} as const satisfies Record<string, AuditEntry>;
