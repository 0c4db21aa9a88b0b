import { feature } from "../../core/api/feature.ts";
import { notificationRetention } from "./retention.ts";
import { notificationRoutes } from "./routes.ts";
import { testNotificationRoutes } from "./test-routes.ts";

export const notifications = feature({
  routes: [notificationRoutes],
  developmentRoutes: [testNotificationRoutes],
  retention: notificationRetention,
});
