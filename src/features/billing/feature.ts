import { deleteOldPaymentEvents } from "#sql/billing";
import { feature } from "../../core/api/feature.ts";
import { reconcileJobs } from "./reconcile.ts";
import { billingRoutes } from "./routes.ts";

export const billing = feature({
  routes: [billingRoutes],
  jobs: reconcileJobs,
  retention: [deleteOldPaymentEvents],
});
