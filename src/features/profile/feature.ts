import { feature } from "#kit";
import { audit } from "./audit.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { profileRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    profile: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const profile = feature({
  tags: { profile: "Your own account." },
  audit,
  notifications,
  mails,
  routes: [profileRoutes],
});
