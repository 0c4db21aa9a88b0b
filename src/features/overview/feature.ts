import { feature } from "#kit";
import { deleteOldActivity } from "#sql/overviews/organization";
import { overviewRoutes } from "./routes.ts";

export const overview = feature({
  routes: [overviewRoutes],
  // Records of daily member activity, after 90 days (rules 31.6).
  retention: [deleteOldActivity],
});
