import { feature } from "#kit";
import { notificationConfig } from "./config.ts";
import { LIMITS } from "./limits.ts";
import { personalData } from "./personal-data.ts";
import { notificationRetention } from "./retention.ts";
import { notificationRoutes } from "./routes.ts";
import { testNotificationRoutes } from "./test-routes.ts";
import { types } from "./test-type.ts";

declare module "../../core/definitions/features.ts" {
  interface Features {
    notifications: { notifications: typeof types };
  }
}

export const notifications = feature({
  config: notificationConfig,
  tags: { notifications: "Messages to the signed-in user." },
  notifications: types,
  routes: [notificationRoutes],
  developmentRoutes: [testNotificationRoutes],
  retention: notificationRetention,
  personalData,
  abuseLimits: LIMITS,
});
