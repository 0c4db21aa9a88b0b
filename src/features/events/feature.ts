import { feature } from "#kit";
import { eventJobs } from "./jobs.ts";
import { eventRoutes } from "./routes.ts";

const permissions = {
  "Events.Read": ["unit", "Read events"],
} as const;

declare module "#src/core/definitions/features" {
  interface Features {
    events: { permissions: typeof permissions };
  }
}

export const events = feature({
  tags: { events: "Changes of an organization's records, for systems that poll them." },
  permissions,
  routes: [eventRoutes],
  jobs: eventJobs,
});
