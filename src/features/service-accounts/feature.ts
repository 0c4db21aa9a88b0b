import { deleteEndedApiKeys } from "#sql/service-accounts";
import { feature } from "../../core/api/feature.ts";
import { countServiceAccounts } from "./count.ts";
import { serviceAccountJobs } from "./jobs.ts";
import { keyRoutes } from "./key-routes.ts";
import { serviceAccountRoutes } from "./routes.ts";

export const serviceAccounts = feature({
  routes: [serviceAccountRoutes, keyRoutes],
  jobs: serviceAccountJobs,
  // Keys that expired or were revoked 90 days ago.
  retention: [deleteEndedApiKeys],
  limits: { serviceAccounts: countServiceAccounts },
});
