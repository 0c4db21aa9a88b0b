import { feature } from "../../core/feature.ts";
import { eventJobs } from "./jobs.ts";
import { eventRoutes } from "./routes.ts";

export const events = feature({
  routes: [eventRoutes],
  jobs: eventJobs,
});
