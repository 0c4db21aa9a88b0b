import { feature } from "../../core/feature.ts";
import { personalDataRoutes } from "./routes.ts";

export const personalData = feature({
  routes: [personalDataRoutes],
});
