import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { identityRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    identities: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const identities = feature({
  audit,
  notifications,
  mails,
  routes: [identityRoutes],
});
