import { feature } from "../../core/feature.ts";
import { profileRoutes } from "./routes.ts";

export const profile = feature({
  routes: [profileRoutes],
});
