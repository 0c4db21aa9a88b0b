import { z } from "@hono/zod-openapi";
import { defineConflict, defineError } from "../../platform/errors.ts";
import { productText } from "../manifest/current.ts";
import { PlanLimitDetails } from "./schemas.ts";

/** Names the limit; a limit of the product by its text, because a product shows the message to people. */
const allowed = (max: number, limit: string) => {
  const text = productText("limits", limit);
  return `The plan allows ${max}${text === null ? ` ${limit}` : `: ${text.en}`}`;
};

export const planLimitReached = defineError(
  403,
  "PLAN_LIMIT_REACHED",
  "The plan's limit is reached",
  (details: z.output<typeof PlanLimitDetails>) => ({ message: allowed(details.max, details.limit), details }),
  z.object({ details: PlanLimitDetails.describe("The limit of the plan that is reached.") }),
);

type Subscribed = { organization: string; plan: string | null };

const subscriptionOf = ({ organization, plan }: Subscribed) =>
  `The subscription of ${organization}${plan === null ? "" : ` to the plan ${plan}`}`;

/** The error for the end of the only membership of an organization that would go on paying. */
export const subscriptionRenews = defineConflict("The subscription renews", (of: Subscribed) => ({
  message: `${subscriptionOf(of)} renews, and the organization would have no members; cancel the subscription first, or invite somebody`,
}));

/** The error for the deletion of an organization that pays for a plan. */
export const subscriptionIsLive = defineConflict("The subscription is live", (of: Subscribed) => ({
  message: `${subscriptionOf(of)} is live; cancel the subscription first`,
}));
