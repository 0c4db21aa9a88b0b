import { feature } from "../../core/api/feature.ts";
import { webhookJobs } from "./jobs.ts";
import { countEndpoints } from "./read.ts";
import { webhookRoutes } from "./routes.ts";

export const webhooks = feature({
  routes: [webhookRoutes],
  jobs: webhookJobs,
  limits: { webhookEndpoints: countEndpoints },
});
