import { deleteEndedApiKeys } from "#sql/service-accounts";
import { feature } from "../../core/api/feature.ts";
import { countServiceAccounts } from "./count.ts";
import { serviceAccountJobs } from "./jobs.ts";
import { keyRoutes } from "./key-routes.ts";
import { serviceAccountRoutes } from "./routes.ts";

const permissions = {
  "ServiceAccounts.Read": ["unit", "See service accounts and their keys"],
  "ServiceAccounts.Create": ["unit", "Create service accounts"],
  "ServiceAccounts.Update": ["unit", "Rename, enable and disable service accounts"],
  "ServiceAccounts.UpdateRoles": ["unit", "Change service accounts' roles"],
  "ServiceAccounts.Delete": ["unit", "Delete service accounts"],
  "ApiKeys.Create": ["unit", "Create, change and rotate API keys"],
  "ApiKeys.Delete": ["unit", "Revoke API keys"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    serviceAccounts: { permissions: typeof permissions };
  }
}

export const serviceAccounts = feature({
  permissions,
  routes: [serviceAccountRoutes, keyRoutes],
  jobs: serviceAccountJobs,
  // Keys that expired or were revoked 90 days ago.
  retention: [deleteEndedApiKeys],
  limits: { serviceAccounts: countServiceAccounts },
});
