import { configSection, secret } from "../../platform/environment.ts";

type TwoFactorConfig = {
  /** What the secrets of second factors are encrypted with. */
  twoFactorKey: string;
};

declare module "../../core/config.ts" {
  interface Config extends TwoFactorConfig {}
}

/** The configuration of two-factor authentication. */
export const twoFactorConfig = configSection({
  variables: { TWO_FACTOR_ENCRYPTION_KEY: secret(32) },
  check: (raw) =>
    raw.TWO_FACTOR_ENCRYPTION_KEY && raw.TWO_FACTOR_ENCRYPTION_KEY === raw.JOBS_ENCRYPTION_KEY
      ? ["TWO_FACTOR_ENCRYPTION_KEY must differ from JOBS_ENCRYPTION_KEY"]
      : [],
  read: (env): TwoFactorConfig => ({ twoFactorKey: env.TWO_FACTOR_ENCRYPTION_KEY }),
});
