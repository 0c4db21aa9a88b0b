import { deleteLongExpiredTokens } from "#sql/sessions";
import { feature } from "../../core/api/feature.ts";
import { sessionRoutes } from "./routes.ts";

export const sessions = feature({
  routes: [sessionRoutes],
  // Refresh tokens that expired more than 30 days ago (rules 5.13).
  retention: [deleteLongExpiredTokens],
});
