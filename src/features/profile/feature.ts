import { feature } from "../../core/api/feature.ts";
import { profileRoutes } from "./routes.ts";

export const profile = feature({
  routes: [profileRoutes],
});
