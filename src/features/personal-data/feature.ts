import { feature } from "../../core/api/feature.ts";
import { personalDataRoutes } from "./routes.ts";

export const personalData = feature({
  routes: [personalDataRoutes],
});
