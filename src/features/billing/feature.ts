import { eventsAbout, feature } from "#kit";
import { deleteOldPaymentEvents } from "#sql/billing";
import { audit } from "./audit.ts";
import { paymentConfig } from "./config.ts";
import { reconcileJobs } from "./reconcile.ts";
import { billingRoutes } from "./routes.ts";
import { SubscriptionOfEvent } from "./schemas.ts";

const permissions = {
  "Billing.Read": ["organization", "See the plan and its usage"],
  "Billing.Create": ["organization", "Buy a plan"],
  "Billing.Update": ["organization", "Manage the subscription"],
} as const;

const events = eventsAbout(SubscriptionOfEvent, "Billing.Read", {
  "subscription.updated": "The subscription changed.",
});

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { subscription: "organization" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    billing: {
      permissions: typeof permissions;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
    };
  }
}

export const billing = feature({
  config: paymentConfig,
  tags: { billing: "Plans, their limits, and payment." },
  permissions,
  events,
  audit,
  targets,
  routes: [billingRoutes],
  jobs: reconcileJobs,
  retention: [deleteOldPaymentEvents],
});
