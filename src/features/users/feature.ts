import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { userJobs } from "./pseudonymise.ts";
import { userRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    users: { audit: typeof audit };
  }
}

export const users = feature({
  audit,
  routes: [userRoutes],
  jobs: userJobs,
});
