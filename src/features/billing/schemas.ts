import { z } from "@hono/zod-openapi";
import { textExample, timestamp } from "../../core/api/fields.ts";
import { planSource } from "../../core/plans/schemas.ts";

export const CheckoutBody = z
  .strictObject({ plan: z.string().min(1).max(63), interval: z.enum(["month", "year"]) })
  .openapi("CheckoutBody");
export const BillingAddress = z
  .object({ url: z.url().openapi({ example: "https://pay.example.com/c/1" }) })
  .openapi("BillingAddress");
export const Received = z.object({ received: z.literal(true) }).openapi("Received");

const limits = z.record(z.string(), z.int().nullable()).openapi({ example: { members: 50, todos: null } });

export const Billing = z
  .object({
    enabled: z.boolean().openapi({ description: "Whether plans are in use.", example: true }),
    configured: z.boolean().openapi({ description: "Whether plans can be bought.", example: true }),
    plan: z.object({ key: textExample("pro"), name: textExample("Pro"), source: planSource }).nullable(),
    trialEndsAt: timestamp.nullable(),
    subscription: z
      .object({
        status: textExample("active"),
        plan: textExample("pro").nullable(),
        interval: z.enum(["month", "year"]).nullable(),
        currentPeriodEnd: timestamp.nullable(),
        cancelAtPeriodEnd: z.boolean(),
      })
      .nullable(),
    limits: z.array(
      z.object({
        name: textExample("members"),
        label: textExample("Members"),
        limit: z.int().nullable().openapi({ description: "Null: unlimited.", example: 50 }),
        used: z.int().openapi({ example: 12 }),
      }),
    ),
    features: z.array(textExample("audit")),
    plans: z.array(
      z.object({
        key: textExample("pro"),
        name: textExample("Pro"),
        limits,
        features: z.array(textExample("audit")),
        intervals: z.array(z.enum(["month", "year"])),
      }),
    ),
  })
  .openapi("Billing");
