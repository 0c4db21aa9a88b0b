import { z } from "@hono/zod-openapi";
import { deferred, textExample, timestamp } from "#kit";
import { EXAMPLES, type LimitName, limitNames } from "#kit/inside";
import { featureName, limitName, planSource } from "../../core/plans/schemas.ts";

export const CheckoutBody = z
  .strictObject({
    plan: z
      .string()
      .min(1)
      .max(63)
      .describe("The key of a plan that can be bought, one of `plans` of `GET /api/organization/billing`."),
    interval: z.enum(["month", "year"]).describe("The payment interval of the plan."),
  })
  .openapi("CheckoutBody");
export const PortalBody = z
  .strictObject({
    plan: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe("The key of a plan that can be bought: the portal opens at the change to this plan."),
  })
  .openapi("PortalBody");
export const BillingAddress = z
  .object({
    url: z
      .url()
      .openapi({ example: "https://pay.example.com/c/1" })
      .describe("The payment provider's page; open it in the browser."),
  })
  .openapi("BillingAddress");
export const Received = z
  .object({ received: z.literal(true).describe("Always `true`: the event was accepted.") })
  .openapi("Received");

const limit = z.int().nullable().openapi({ description: "The maximum; null if unlimited.", example: 50 });
/** The limits that the service knows, and any others of the plan file. */
const limits = deferred(() =>
  z
    .object(Object.fromEntries(limitNames().map((name) => [name, limit])) as Record<LimitName, typeof limit>)
    .partial()
    .catchall(z.int().nullable())
    .openapi({ example: EXAMPLES.limits }),
);

/** The subscription of an organization, without a component of its own in the document. */
export const Subscription = z.object({
  status: textExample("active").describe(
    "The payment provider's status of the subscription; `paused` also while the collection of payments is paused.",
  ),
  plan: textExample("pro")
    .nullable()
    .describe(
      "The key of the subscribed plan; null if no configured plan has the price of the subscription.",
    ),
  interval: z
    .enum(["month", "year"])
    .nullable()
    .describe("The payment interval of the subscription; null if its price is unknown."),
  currentPeriodEnd: timestamp
    .nullable()
    .describe("When the paid period ends, or when the subscription ends if that is earlier."),
  cancelAtPeriodEnd: z.boolean().describe("Whether the subscription ends by itself, without a renewal."),
});

export const Billing = z
  .object({
    enabled: z.boolean().openapi({ description: "Whether plans are in use.", example: true }),
    configured: z.boolean().openapi({
      description: "Whether plans can be bought: the service has a payment provider.",
      example: true,
    }),
    plan: z
      .object({
        key: textExample("pro").describe("The key that identifies the plan in requests."),
        name: textExample("Pro").describe("The name of the plan in the caller's language."),
        source: planSource.describe("Why this plan is in effect."),
      })
      .nullable()
      .describe("The plan in effect; null if plans are not in use."),
    trialEndsAt: timestamp.nullable().describe("When the trial ends or ended; null if there was none."),
    subscription: Subscription.nullable().describe(
      "The subscription at the payment provider; null if there is none.",
    ),
    limits: z
      .array(
        z.object({
          name: limitName,
          label: textExample("Members").describe("The name of the limit in the caller's language."),
          limit,
          used: z
            .int()
            .openapi({ example: 12 })
            .describe("The current number of records that count towards the limit."),
          resetsAt: timestamp
            .nullable()
            .describe("When the count begins anew; null for a limit of what there is."),
        }),
      )
      .describe("The limits of the plan in effect, and how much of each is used."),
    features: z.array(featureName).describe("The features of the plan in effect."),
    plans: z
      .array(
        z.object({
          key: textExample("pro").describe("The key that identifies the plan in requests."),
          name: textExample("Pro").describe("The name of the plan in the caller's language."),
          limits: limits.describe("The limits by name; null means unlimited."),
          features: z.array(featureName).describe("The features of the plan."),
          intervals: z
            .array(z.enum(["month", "year"]))
            .describe("The payment intervals that the plan is sold with."),
          prices: z
            .array(
              z.object({
                id: textExample("price_1").describe("The id of the price at the payment provider."),
                interval: z.enum(["month", "year"]).describe("The payment interval."),
                amount: z
                  .int()
                  .nullable()
                  .openapi({ example: 4900 })
                  .describe(
                    "The price in the smallest unit that ISO 4217 defines for the currency, such as cents of `eur`, whole `jpy` and thousandths of `kwd`; null if it is not fixed.",
                  ),
                currency: textExample("eur").describe("The ISO 4217 code of the currency, in lower case."),
              }),
            )
            .nullable()
            .describe("The prices at the payment provider, at most an hour old; null if they are unknown."),
        }),
      )
      .describe("The plans that can be bought."),
  })
  .openapi("Billing");

/** The subscription in an event, with a null status if the payment provider no longer has it. */
export const SubscriptionOfEvent = Subscription.extend({ status: Subscription.shape.status.nullable() });
