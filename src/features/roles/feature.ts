import { feature } from "../../core/api/feature.ts";
import { roleRoutes } from "./routes.ts";

export const roles = feature({
  routes: [roleRoutes],
});
