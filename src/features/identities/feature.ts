import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { notifications } from "./notifications.ts";
import { identityRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    identities: { audit: typeof audit; notifications: typeof notifications };
  }
}

export const identities = feature({
  audit,
  notifications,
  routes: [identityRoutes],
});
