import { feature } from "#kit";
import { audit } from "./audit.ts";
import { personalDataRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    personalData: { audit: typeof audit };
  }
}

export const personalData = feature({
  audit,
  routes: [personalDataRoutes],
});
