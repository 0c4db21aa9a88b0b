import { deleteOldResets, deleteOldVerifications } from "#sql/accounts";
import { attemptRetention } from "../../core/accounts/retention.ts";
import { feature } from "../../core/api/feature.ts";
import { accountJobs } from "./jobs.ts";
import { accountRoutes } from "./routes.ts";

export const accounts = feature({
  routes: [accountRoutes],
  jobs: accountJobs,
  // Old verification and reset links (rules 5.13).
  retention: [deleteOldVerifications, deleteOldResets, ...attemptRetention],
});
