import { deleteExpiredChallenges } from "#sql/two-factor";
import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { notifications } from "./notifications.ts";
import { twoFactorRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    twoFactor: { audit: typeof audit; notifications: typeof notifications };
  }
}

export const twoFactor = feature({
  audit,
  notifications,
  routes: [twoFactorRoutes],
  retention: [deleteExpiredChallenges],
});
