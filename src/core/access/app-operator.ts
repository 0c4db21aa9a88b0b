import type { Json } from "#sql/access";

/** Which apps members of an organization may connect: none, those that were approved, or every app. */
export const APP_POLICIES = ["off", "approved", "any"] as const;
export type AppPolicy = (typeof APP_POLICIES)[number];

/** What the operator says of apps, as the function `app_is_covered` reads it. */
export type AppRules = {
  /** The policy of organizations that chose none. */
  apps: AppPolicy;
  /** Hosts and client ids that are approved in every organization. */
  approved: string[];
  /** Hosts and client ids that no organization may connect. */
  blocked: string[];
};

/** Returns what the operator configured, as the functions `app_is_covered` and `app_works` of the database read it. */
export const operatorOf = ({ appRules, sso }: { appRules: AppRules; sso: boolean }): Json => ({
  ...appRules,
  sso,
});
