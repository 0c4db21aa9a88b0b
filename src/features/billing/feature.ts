import { deleteOldPaymentEvents } from "#sql/billing";
import { feature } from "../../core/api/feature.ts";
import { reconcileJobs } from "./reconcile.ts";
import { billingRoutes } from "./routes.ts";
import { SubscriptionOfEvent } from "./schemas.ts";

const permissions = {
  "Billing.Read": ["organization", "See the plan and its usage"],
  "Billing.Create": ["organization", "Buy a plan"],
  "Billing.Update": ["organization", "Manage the subscription"],
} as const;

const events = {
  "subscription.updated": {
    object: SubscriptionOfEvent,
    permission: "Billing.Read",
    text: "The subscription changed.",
  },
} as const;

declare module "../../core/features.ts" {
  interface Features {
    billing: { permissions: typeof permissions; events: typeof events };
  }
}

export const billing = feature({
  permissions,
  events,
  routes: [billingRoutes],
  jobs: reconcileJobs,
  retention: [deleteOldPaymentEvents],
});
