import { feature } from "../../core/api/feature.ts";
import { eventTypeRoutes } from "./routes.ts";

export const eventTypes = feature({
  routes: [eventTypeRoutes],
});
