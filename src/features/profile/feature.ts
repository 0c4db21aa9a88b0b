import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { profileRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    profile: { audit: typeof audit };
  }
}

export const profile = feature({
  audit,
  routes: [profileRoutes],
});
