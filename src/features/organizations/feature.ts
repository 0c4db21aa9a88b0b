import { feature } from "../../core/feature.ts";
import { organizationRoutes } from "./routes.ts";

export const organizations = feature({
  routes: [organizationRoutes],
});
