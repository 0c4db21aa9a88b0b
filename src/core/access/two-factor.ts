import type { AccessTokenConfig } from "./config.ts";

/** Whether an account must have a second factor (rules 7.9). */
export const isTwoFactorRequired = (
  { requireTwoFactor }: Pick<AccessTokenConfig, "requireTwoFactor">,
  { isPlatformAdmin }: { isPlatformAdmin: boolean },
): boolean => requireTwoFactor === "all" || (requireTwoFactor === "platform-admins" && isPlatformAdmin);
