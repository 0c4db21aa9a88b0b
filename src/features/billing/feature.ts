import { deleteOldPaymentEvents } from "#sql/billing";
import { feature } from "../../core/api/feature.ts";
import { reconcileJobs } from "./reconcile.ts";
import { billingRoutes } from "./routes.ts";

const permissions = {
  "Billing.Read": ["organization", "See the plan and its usage"],
  "Billing.Create": ["organization", "Buy a plan"],
  "Billing.Update": ["organization", "Manage the subscription"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    billing: { permissions: typeof permissions };
  }
}

export const billing = feature({
  permissions,
  routes: [billingRoutes],
  jobs: reconcileJobs,
  retention: [deleteOldPaymentEvents],
});
