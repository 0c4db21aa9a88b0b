import { feature } from "../../core/feature.ts";
import { eventTypeRoutes } from "./routes.ts";

export const eventTypes = feature({
  routes: [eventTypeRoutes],
});
