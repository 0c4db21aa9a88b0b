import { feature } from "../../core/feature.ts";
import { roleRoutes } from "./routes.ts";

export const roles = feature({
  routes: [roleRoutes],
});
