import { feature } from "#kit";
import { deleteExpiredChallenges } from "#sql/two-factor";
import { audit } from "./audit.ts";
import { twoFactorConfig } from "./config.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { twoFactorRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    twoFactor: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const twoFactor = feature({
  config: twoFactorConfig,
  tags: { "two-factor": "A second factor at sign-in: codes from an authenticator app." },
  audit,
  notifications,
  mails,
  routes: [twoFactorRoutes],
  retention: [deleteExpiredChallenges],
});
