import { feature } from "../../core/api/feature.ts";
import { userJobs } from "./pseudonymise.ts";
import { userRoutes } from "./routes.ts";

export const users = feature({
  routes: [userRoutes],
  jobs: userJobs,
});
