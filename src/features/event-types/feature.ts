import { feature } from "#kit";
import { eventTypeRoutes } from "./routes.ts";

export const eventTypes = feature({
  routes: [eventTypeRoutes],
});
