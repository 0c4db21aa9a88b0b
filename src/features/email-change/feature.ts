import { feature } from "../../core/feature.ts";
import { emailChangeRoutes } from "./routes.ts";

export const emailChange = feature({
  routes: [emailChangeRoutes],
});
