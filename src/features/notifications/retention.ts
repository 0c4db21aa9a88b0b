import type { Config, RetentionQuery } from "#kit";
import * as notifications from "#sql/notifications";

/**
 * Deletes notifications older than `RETENTION_NOTIFICATIONS_DAYS` (rules 17.13). Deletes nothing if that is not
 * set.
 */
export function notificationRetention({ notificationRetentionDays: days }: Config): RetentionQuery[] {
  if (days === null) return [];
  return [{ run: ({ max }, db) => notifications.deleteOldNotifications.run({ days, max }, db) }];
}
