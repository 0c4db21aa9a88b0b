import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { emailChangeRoutes } from "./routes.ts";

declare module "../../core/features.ts" {
  interface Features {
    emailChange: { audit: typeof audit };
  }
}

export const emailChange = feature({
  audit,
  routes: [emailChangeRoutes],
});
