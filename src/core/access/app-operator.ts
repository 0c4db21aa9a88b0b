import type { Json } from "#sql/access";
import type { ConnectedAppConfig } from "./app-config.ts";
import type { SignOnConfig } from "./sign-on-config.ts";

/** Returns what the operator configured, as the functions `app_is_covered` and `app_works` of the database read it. */
export const operatorOf = ({
  appRules,
  sso,
}: Pick<ConnectedAppConfig & SignOnConfig, "appRules" | "sso">): Json => ({ ...appRules, sso });
