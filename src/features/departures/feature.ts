import { feature } from "../../core/api/feature.ts";
import { departureRoutes } from "./routes.ts";

export const departures = feature({
  routes: [departureRoutes],
});
