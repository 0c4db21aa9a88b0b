import { configSection, integer } from "#kit";

type NotificationConfig = {
  /** The number of days after which notifications are deleted; null to keep them. */
  notificationRetentionDays: number | null;
};

declare module "../../core/config.ts" {
  interface Config extends NotificationConfig {}
}

const MAX_DAYS = 36_500;

/** The configuration of notifications. */
export const notificationConfig = configSection({
  variables: { RETENTION_NOTIFICATIONS_DAYS: integer(1, MAX_DAYS).optional() },
  read: (env): NotificationConfig => ({
    notificationRetentionDays: env.RETENTION_NOTIFICATIONS_DAYS ?? null,
  }),
});
