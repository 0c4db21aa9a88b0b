import { feature } from "../../core/api/feature.ts";
import { eventJobs } from "./jobs.ts";
import { eventRoutes } from "./routes.ts";

const permissions = {
  "Events.Read": ["unit", "Read events"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    events: { permissions: typeof permissions };
  }
}

export const events = feature({
  permissions,
  routes: [eventRoutes],
  jobs: eventJobs,
});
