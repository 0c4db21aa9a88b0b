import { configSection, integer } from "#kit";

type UsersConfig = {
  /** The number of days after which deleted accounts lose their email and name; null to keep them. */
  deletedAccountRetentionDays: number | null;
};

declare module "../../core/config.ts" {
  interface Config extends UsersConfig {}
}

const MAX_DAYS = 36_500;

/** The configuration of how long deleted accounts keep their email and name. */
export const usersConfig = configSection({
  variables: { RETENTION_DELETED_ACCOUNTS_DAYS: integer(2, MAX_DAYS).optional() },
  read: (env): UsersConfig => ({ deletedAccountRetentionDays: env.RETENTION_DELETED_ACCOUNTS_DAYS ?? null }),
});
