import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { notifications } from "./notifications.ts";
import { profileRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    profile: { audit: typeof audit; notifications: typeof notifications };
  }
}

export const profile = feature({
  audit,
  notifications,
  routes: [profileRoutes],
});
