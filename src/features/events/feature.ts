import { feature } from "../../core/api/feature.ts";
import { eventJobs } from "./jobs.ts";
import { eventRoutes } from "./routes.ts";

export const events = feature({
  routes: [eventRoutes],
  jobs: eventJobs,
});
