import { z } from "zod";
import {
  commaSeparated,
  configSection,
  integer,
  isProduction,
  rejectUnchangedPreviousKey,
  warnOfPreviousKey,
} from "../../platform/environment.ts";

/** The classes of routes for which `REAUTHENTICATION_FOR` can ask for a recent proof of identity (rules 33.5). */
const CONFIGURABLE_CLASSES = ["account", "authority", "billing", "platform"] as const;
export type ConfigurableClass = (typeof CONFIGURABLE_CLASSES)[number];

export type AccessTokenConfig = {
  jwtSecret: string;
  /** The previous secret for access tokens. Its signatures are still accepted, but no token is signed with it. */
  jwtSecretPrevious: string | null;
  accessTokenSeconds: number;
  /** Which accounts must have a second factor (rules 7.9). */
  requireTwoFactor: "off" | "platform-admins" | "all";
  /**
   * For how many minutes a sign-in counts as recent, for routes that require a recent sign-in (rules 9.9). Null
   * means for ever.
   */
  reauthenticationMinutes: number | null;
  /** The classes of routes that require a recent sign-in (rules 33.5). */
  reauthenticationFor: ConfigurableClass[];
};

/** The configuration of access tokens and of the required second factor. */
export const accessTokenConfig = configSection({
  variables: {
    JWT_SECRET: z.string(),
    JWT_SECRET_PREVIOUS: z.string().optional(),
    JWT_ACCESS_TTL: z
      .string()
      .default("15m")
      .refine(
        (value) => seconds(value) >= 1 && seconds(value) <= 86_400,
        "must be a lifetime from 1 second to 24 hours, such as 900 or 15m",
      )
      .transform(seconds),
    REAUTHENTICATION_MINUTES: integer(1, 1440).optional(),
    REAUTHENTICATION_FOR: z
      .string()
      .default("account")
      .transform((names) => commaSeparated(names) as ConfigurableClass[])
      .refine(
        (names) => names.length > 0 && names.every((name) => CONFIGURABLE_CLASSES.includes(name)),
        `must be a comma-separated list of ${CONFIGURABLE_CLASSES.join(", ")}`,
      ),
    REQUIRE_TWO_FACTOR: z.enum(["off", "platform-admins", "all"]).default("off"),
  },
  secrets: ["JWT_SECRET", "JWT_SECRET_PREVIOUS"],
  check: (raw) => [
    ...["JWT_SECRET", "JWT_SECRET_PREVIOUS"]
      .filter((key) => isProduction(raw) && raw[key] && new TextEncoder().encode(raw[key]).length < 32)
      .map((key) => `${key} must have at least 32 bytes in production`),
    ...rejectUnchangedPreviousKey(raw, "JWT_SECRET"),
  ],
  warn: (raw) => [
    ...warnOfPreviousKey(raw, "JWT_SECRET"),
    ...["JOBS_ENCRYPTION_KEY", "TWO_FACTOR_ENCRYPTION_KEY"]
      .filter((key) => raw.JWT_SECRET && raw[key] === raw.JWT_SECRET)
      .map(
        (key) =>
          `JWT_SECRET is the same as ${key}: use different keys, so that a leak of one does not reveal the other`,
      ),
  ],
  read: (env): AccessTokenConfig => ({
    jwtSecret: env.JWT_SECRET,
    jwtSecretPrevious: env.JWT_SECRET_PREVIOUS ?? null,
    accessTokenSeconds: env.JWT_ACCESS_TTL,
    requireTwoFactor: env.REQUIRE_TWO_FACTOR,
    reauthenticationMinutes: env.REAUTHENTICATION_MINUTES ?? null,
    reauthenticationFor: env.REAUTHENTICATION_FOR,
  }),
});

/** Converts a duration such as `900`, `900s`, `15m` or `2h` to seconds; returns NaN for other text. */
function seconds(value: string): number {
  const match = /^(\d{1,9})(s|m|h)?$/.exec(value);
  const unit = { s: 1, m: 60, h: 3600 }[match?.[2] ?? "s"] ?? 1;
  return match ? Number(match[1]) * unit : Number.NaN;
}
