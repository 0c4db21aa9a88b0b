import { feature } from "#kit";
import { deleteKnownSignIns, deleteOldSignIns } from "#sql/front-door";
import { frontDoorConfig } from "./config.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { frontDoorRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    frontDoor: { notifications: typeof notifications; mails: typeof mails };
  }
}

export const frontDoor = feature({
  config: frontDoorConfig,
  notifications,
  mails,
  routes: [frontDoorRoutes],
  // Browsers and networks that an account has not used in 90 days (rules 32.6).
  retention: [deleteOldSignIns],
  ends: { user: async (tx, userId) => void (await deleteKnownSignIns.run({ userId }, tx.db)) },
  abuseLimits: LIMITS,
});
