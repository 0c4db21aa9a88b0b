import { feature } from "../../core/api/feature.ts";
import { roleRoutes } from "./routes.ts";

const permissions = {
  "Roles.Read": ["unit", "See roles"],
  "Roles.Create": ["organization", "Create roles"],
  "Roles.Update": ["organization", "Change roles"],
  "Roles.Delete": ["organization", "Delete roles"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    roles: { permissions: typeof permissions };
  }
}

export const roles = feature({
  permissions,
  routes: [roleRoutes],
});
