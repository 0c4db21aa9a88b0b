import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { notifications } from "./notifications.ts";
import { emailChangeRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    emailChange: { audit: typeof audit; notifications: typeof notifications };
  }
}

export const emailChange = feature({
  audit,
  notifications,
  routes: [emailChangeRoutes],
});
