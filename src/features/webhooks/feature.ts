import { feature } from "../../core/api/feature.ts";
import { webhookJobs } from "./jobs.ts";
import { countEndpoints } from "./read.ts";
import { webhookRoutes } from "./routes.ts";

const permissions = {
  "Webhooks.Read": ["organization", "See webhook endpoints and their deliveries"],
  "Webhooks.Create": ["organization", "Create webhook endpoints"],
  "Webhooks.Update": ["organization", "Change webhook endpoints and send deliveries again"],
  "Webhooks.Delete": ["organization", "Delete webhook endpoints"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    webhooks: { permissions: typeof permissions };
  }
}

export const webhooks = feature({
  permissions,
  routes: [webhookRoutes],
  jobs: webhookJobs,
  limits: { webhookEndpoints: countEndpoints },
});
