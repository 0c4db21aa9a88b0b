import { feature } from "../../core/api/feature.ts";
import { organizationRoutes } from "./routes.ts";

export const organizations = feature({
  routes: [organizationRoutes],
});
