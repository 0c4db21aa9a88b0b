import { feature } from "#kit";
import { audit } from "./audit.ts";
import { departureRoutes } from "./routes.ts";

declare module "../../core/definitions/features.ts" {
  interface Features {
    departures: { audit: typeof audit };
  }
}

export const departures = feature({
  audit,
  routes: [departureRoutes],
});
