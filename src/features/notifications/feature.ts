import { z } from "@hono/zod-openapi";
import { type Config, feature, timestamp } from "#kit";
import { deleteOldNotifications } from "#sql/notifications";
import { notificationConfig } from "./config.ts";
import { LIMITS } from "./limits.ts";
import { personalData } from "./personal-data.ts";
import { notificationRoutes } from "./routes.ts";
import { testNotificationRoutes } from "./test-routes.ts";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
const types = {
  TEST: z.object({ sentAt: timestamp.describe("When the test notification was sent.") }),
} as const satisfies Record<string, z.ZodObject>;

declare module "#src/core/definitions/features" {
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
  // By default none is deleted (rules 17.13).
  retention: ({ notificationRetentionDays: days }: Config) =>
    days === null ? [] : [{ run: ({ max }, db) => deleteOldNotifications.run({ days, max }, db) }],
  personalData,
  abuseLimits: LIMITS,
});
