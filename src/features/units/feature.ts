import { feature } from "../../core/api/feature.ts";
import { countUnits } from "./read.ts";
import { unitRoutes } from "./routes.ts";

const permissions = {
  "Units.Read": ["unit", "See units", "member"],
  "Units.Create": ["unit", "Create units"],
  "Units.Update": ["unit", "Rename and move units"],
  "Units.Delete": ["unit", "Delete units"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    units: { permissions: typeof permissions };
  }
}

export const units = feature({
  permissions,
  routes: [unitRoutes],
  limits: { units: countUnits },
});
