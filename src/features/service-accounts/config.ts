import { z } from "zod";
import { configSection, integer } from "#kit";
import { KEY_PREFIX } from "../../core/access/token-forms.ts";
import { LIMITS } from "./limits.ts";

export type ApiKeyConfig = {
  /** The prefix of new API keys. Keys that were created with another prefix stay valid. */
  apiKeyPrefix: string;
  /** The maximum number of requests per minute with one API key, on one instance. */
  apiKeyRateLimit: number;
  /** The maximum number of requests per minute with all API keys of an organization, on one instance. */
  apiKeyRateLimitOrganization: number;
  /** The maximum lifetime of a new API key in days; null if keys need not expire. */
  apiKeyMaxDays: number | null;
};

declare module "../../core/config.ts" {
  interface Config extends ApiKeyConfig {}
}

/** Those of setup links, of the product's key, and of what apps have. */
const OTHER_PREFIXES = ["setup", "mosa", "mosc", "mosp", "mosr", "moss"];
const MAX_REQUESTS = 1_000_000;
const MAX_DAYS = 3_650;

/** The configuration of API keys. */
export const apiKeyConfig = configSection({
  variables: {
    API_KEY_PREFIX: z
      .string()
      .regex(KEY_PREFIX, "must be 2 to 10 lower-case letters and digits, beginning with a letter")
      .refine(
        (prefix) => !OTHER_PREFIXES.includes(prefix),
        `must not be a prefix of other credentials: ${OTHER_PREFIXES.join(", ")}`,
      )
      .default("mosk"),
    API_KEY_RATE_LIMIT: integer(1, MAX_REQUESTS).default(LIMITS.keyRequests.points),
    API_KEY_RATE_LIMIT_ORGANIZATION: integer(1, MAX_REQUESTS).default(
      LIMITS.keyRequestsOfOrganization.points,
    ),
    API_KEY_MAX_DAYS: integer(1, MAX_DAYS).optional(),
  },
  read: (env): ApiKeyConfig => ({
    apiKeyPrefix: env.API_KEY_PREFIX,
    apiKeyRateLimit: env.API_KEY_RATE_LIMIT,
    apiKeyRateLimitOrganization: env.API_KEY_RATE_LIMIT_ORGANIZATION,
    apiKeyMaxDays: env.API_KEY_MAX_DAYS ?? null,
  }),
});
