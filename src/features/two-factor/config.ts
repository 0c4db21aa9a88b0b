import { configSection, secret } from "#kit";
import { rejectUnchangedPreviousKey, warnOfPreviousKey } from "#kit/inside";

type TwoFactorConfig = {
  /** The key that encrypts the secrets of second factors. */
  twoFactorKey: string;
  /** The previous key that encrypted secrets of second factors. It is only used to decrypt. */
  twoFactorKeyPrevious: string | null;
};

declare module "../../core/config.ts" {
  interface Config extends TwoFactorConfig {}
}

/** The configuration of two-factor authentication. */
export const twoFactorConfig = configSection({
  variables: {
    TWO_FACTOR_ENCRYPTION_KEY: secret(32),
    TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS: secret(32).optional(),
  },
  secrets: ["TWO_FACTOR_ENCRYPTION_KEY", "TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS"],
  check: (raw) => [
    ...(raw.TWO_FACTOR_ENCRYPTION_KEY && raw.TWO_FACTOR_ENCRYPTION_KEY === raw.JOBS_ENCRYPTION_KEY
      ? ["TWO_FACTOR_ENCRYPTION_KEY must differ from JOBS_ENCRYPTION_KEY"]
      : []),
    ...rejectUnchangedPreviousKey(raw, "TWO_FACTOR_ENCRYPTION_KEY"),
  ],
  warn: (raw) => warnOfPreviousKey(raw, "TWO_FACTOR_ENCRYPTION_KEY"),
  read: (env): TwoFactorConfig => ({
    twoFactorKey: env.TWO_FACTOR_ENCRYPTION_KEY,
    twoFactorKeyPrevious: env.TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS ?? null,
  }),
});
