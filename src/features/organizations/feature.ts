import { feature } from "../../core/api/feature.ts";
import { organizationRoutes } from "./routes.ts";
import { Organization, PlanOfEvent } from "./schemas.ts";

const permissions = {
  "Organization.Read": ["unit", "See the organization", "member"],
  "Organization.Update": ["organization", "Change the organization's name, slug and default role"],
} as const;

const events = {
  "organization.updated": {
    object: Organization,
    permission: "Organization.Read",
    text: "Name, slug or default role changed.",
  },
  "organization.status_changed": {
    object: Organization,
    permission: "Organization.Read",
    text: "The organization was suspended or became active again.",
  },
  "organization.plan_changed": {
    object: PlanOfEvent,
    permission: "Organization.Read",
    text: "A platform administrator changed the plan.",
  },
} as const;

declare module "../../core/features.ts" {
  interface Features {
    organizations: { permissions: typeof permissions; events: typeof events };
  }
}

export const organizations = feature({
  permissions,
  events,
  routes: [organizationRoutes],
});
