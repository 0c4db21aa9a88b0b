import { feature } from "../../core/api/feature.ts";
import { emailChangeRoutes } from "./routes.ts";

export const emailChange = feature({
  routes: [emailChangeRoutes],
});
