import { feature } from "../../core/api/feature.ts";
import { notificationRetention } from "./retention.ts";
import { notificationRoutes } from "./routes.ts";
import { testNotificationRoutes } from "./test-routes.ts";
import { types } from "./test-type.ts";

declare module "../../core/features.ts" {
  interface Features {
    notifications: { notifications: typeof types };
  }
}

export const notifications = feature({
  notifications: types,
  routes: [notificationRoutes],
  developmentRoutes: [testNotificationRoutes],
  retention: notificationRetention,
});
