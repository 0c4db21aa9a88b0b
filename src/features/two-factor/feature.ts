import { deleteExpiredChallenges } from "#sql/two-factor";
import { feature } from "../../core/api/feature.ts";
import { twoFactorRoutes } from "./routes.ts";

export const twoFactor = feature({
  routes: [twoFactorRoutes],
  retention: [deleteExpiredChallenges],
});
