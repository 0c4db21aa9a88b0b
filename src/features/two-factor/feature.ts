import { deleteExpiredChallenges } from "#sql/two-factor";
import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { twoFactorRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    twoFactor: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const twoFactor = feature({
  audit,
  notifications,
  mails,
  routes: [twoFactorRoutes],
  retention: [deleteExpiredChallenges],
});
