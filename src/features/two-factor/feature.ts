import { deleteExpiredChallenges } from "#sql/two-factor";
import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { twoFactorRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    twoFactor: { audit: typeof audit };
  }
}

export const twoFactor = feature({
  audit,
  routes: [twoFactorRoutes],
  retention: [deleteExpiredChallenges],
});
