import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { identityRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    identities: { audit: typeof audit };
  }
}

export const identities = feature({
  audit,
  routes: [identityRoutes],
});
