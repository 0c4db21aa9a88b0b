import { feature } from "#kit";
import { audit } from "./audit.ts";
import { emailChangeConfig } from "./config.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { emailChangeRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    emailChange: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const emailChange = feature({
  config: emailChangeConfig,
  audit,
  notifications,
  mails,
  routes: [emailChangeRoutes],
  abuseLimits: LIMITS,
});
