import { feature } from "../../core/api/feature.ts";
import { organizationRoutes } from "./routes.ts";

const permissions = {
  "Organization.Read": ["unit", "See the organization", "member"],
  "Organization.Update": ["organization", "Change the organization's name, slug and default role"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    organizations: { permissions: typeof permissions };
  }
}

export const organizations = feature({
  permissions,
  routes: [organizationRoutes],
});
