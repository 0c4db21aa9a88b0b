import { z } from "@hono/zod-openapi";
import { timestamp } from "../http/fields.ts";

const source = z.enum(["override", "subscription", "trial", "default"]);

/** The plan of a platform row; null where billing is off. */
export const PlanOfRow = z.object({ key: z.string(), source }).nullable();

export const PlanBody = z
  .strictObject({
    planOverride: z
      .string()
      .min(1)
      .max(63)
      .nullable()
      .optional()
      .openapi({ description: "A plan's key; null for none." }),
  })
  .openapi("PlanOverrideBody");

export const CheckoutBody = z
  .strictObject({ plan: z.string().min(1).max(63), interval: z.enum(["month", "year"]) })
  .openapi("CheckoutBody");
export const Address = z.object({ url: z.url() }).openapi("BillingAddress");
export const Received = z.object({ received: z.literal(true) }).openapi("Received");

const limits = z.record(z.string(), z.int().nullable());

export const Billing = z
  .object({
    enabled: z.boolean().openapi({ description: "Whether plans are in use." }),
    configured: z.boolean().openapi({ description: "Whether plans can be bought." }),
    plan: z.object({ key: z.string(), name: z.string(), source }).nullable(),
    trialEndsAt: timestamp.nullable(),
    subscription: z
      .object({
        status: z.string(),
        plan: z.string().nullable(),
        interval: z.enum(["month", "year"]).nullable(),
        currentPeriodEnd: timestamp.nullable(),
        cancelAtPeriodEnd: z.boolean(),
      })
      .nullable(),
    limits: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        limit: z.int().nullable().openapi({ description: "Null: unlimited." }),
        used: z.int(),
      }),
    ),
    features: z.array(z.string()),
    plans: z.array(
      z.object({
        key: z.string(),
        name: z.string(),
        limits,
        features: z.array(z.string()),
        intervals: z.array(z.enum(["month", "year"])),
      }),
    ),
  })
  .openapi("Billing");
