import { z } from "@hono/zod-openapi";
import { textExample, timestamp } from "../../core/api/fields.ts";
import { LIMITS, type LimitName } from "../../core/plans/names.ts";
import { featureName, limitName, planSource } from "../../core/plans/schemas.ts";

export const CheckoutBody = z
  .strictObject({ plan: z.string().min(1).max(63), interval: z.enum(["month", "year"]) })
  .openapi("CheckoutBody");
export const BillingAddress = z
  .object({ url: z.url().openapi({ example: "https://pay.example.com/c/1" }) })
  .openapi("BillingAddress");
export const Received = z.object({ received: z.literal(true) }).openapi("Received");

const limit = z.int().nullable().openapi({ description: "Null: unlimited.", example: 50 });
/** The limits that the service knows, and any others of the plan file. */
const limits = z
  .object(Object.fromEntries(LIMITS.map((name) => [name, limit])) as Record<LimitName, typeof limit>)
  .partial()
  .catchall(z.int().nullable())
  .openapi({ example: { members: 50, todos: null } });

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
        name: limitName,
        label: textExample("Members"),
        limit,
        used: z.int().openapi({ example: 12 }),
      }),
    ),
    features: z.array(featureName),
    plans: z.array(
      z.object({
        key: textExample("pro"),
        name: textExample("Pro"),
        limits,
        features: z.array(featureName),
        intervals: z.array(z.enum(["month", "year"])),
      }),
    ),
  })
  .openapi("Billing");
