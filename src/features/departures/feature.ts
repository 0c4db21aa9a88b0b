import { feature } from "#kit";
import { audit } from "./audit.ts";
import { departureRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    departures: { audit: typeof audit };
  }
}

export const departures = feature({
  audit,
  routes: [departureRoutes],
});
