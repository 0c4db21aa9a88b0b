import { z } from "zod";
import type { DatabaseConfig } from "../platform/db/config.ts";
import { baseUrl, configSection, integer, isProduction } from "../platform/environment.ts";
import type { HttpConfig } from "../platform/http/config.ts";
import type { Language } from "../platform/i18n/languages.ts";
import type { JobsConfig } from "../platform/jobs/config.ts";
import type { LogConfig } from "../platform/log.ts";
import type { SmtpConfig } from "../platform/mail/config.ts";
import type { MetricsConfig } from "../platform/metrics-config.ts";
import type { PlaintextConfig } from "../platform/plaintext.ts";
import type { StorageConfig } from "../platform/storage/config.ts";
import type { TracingConfig } from "../platform/tracing/config.ts";
import type { AccessTokenConfig } from "./access/config.ts";
import type { SignOnConfig } from "./access/sign-on-config.ts";
import type { SigningKeyConfig } from "./access/signing-key-config.ts";
import type { EventConfig } from "./definitions/event-config.ts";
import { LIMITS } from "./definitions/limits.ts";

type ServiceConfig = {
  production: boolean;
  /** The client's public URL, without a trailing slash. */
  appUrl: string;
  /** This service's public URL, without a trailing slash. */
  apiUrl: string;
  /** Whether the console is served at /. */
  web: boolean;
  defaultLanguage: Language;
  /** The maximum number of calls per minute from one IP address, on each public route of sign-in. */
  throttleLimit: number;
  /** For how many hours a request can be repeated with the same `Idempotency-Key`. */
  idempotencyHours: number;
  /** Whether an instance serves the API, runs jobs, or both. */
  role: "all" | "api" | "worker";
  /**
   * The time between the failing of readiness and the closing of the listener, in which load balancers notice that
   * the instance is stopping.
   */
  drainSeconds: number;
};

/**
 * The whole configuration (rules 24.1), read once at boot by `src/app/config.ts`. Features add their own members by
 * declaration merging, each in its config.ts.
 */
export interface Config
  extends ServiceConfig,
    HttpConfig,
    LogConfig,
    MetricsConfig,
    TracingConfig,
    JobsConfig,
    PlaintextConfig,
    AccessTokenConfig,
    SigningKeyConfig,
    SignOnConfig,
    EventConfig {
  database: DatabaseConfig;
  mail: SmtpConfig;
  storage: StorageConfig;
  /** Warnings about configuration that is valid but probably not intended (rules 24.13). */
  warnings: string[];
}

const withoutSlash = (address: string) => address.replace(/\/+$/, "");

/** The configuration that several features need. */
export const serviceConfig = configSection({
  variables: {
    NODE_ENV: z.enum(["development", "production", "test"]).default("development"),
    APP_URL: baseUrl(),
    API_URL: baseUrl().optional(),
    WEB: z.enum(["on", "off"]).default("off"),
    DEFAULT_LANGUAGE: z.enum(["el", "en"]).default("en"),
    THROTTLE_LIMIT: integer(1, 1_000_000).default(LIMITS.calls.points),
    IDEMPOTENCY_HOURS: integer(1, 168).default(24),
    INSTANCE_ROLE: z.enum(["all", "api", "worker"]).default("all"),
    DRAIN_SECONDS: integer(0, 300).default(3),
  },
  check: (raw) =>
    ["APP_URL", "API_URL"]
      .filter((key) => isProduction(raw) && raw[key]?.toLowerCase().startsWith("http:"))
      .map((key) => `${key} must begin with https:// in production`),
  read: (env): ServiceConfig => ({
    production: env.NODE_ENV === "production",
    appUrl: withoutSlash(env.APP_URL),
    apiUrl: withoutSlash(env.API_URL ?? env.APP_URL),
    web: env.WEB === "on" && env.INSTANCE_ROLE !== "worker",
    defaultLanguage: env.DEFAULT_LANGUAGE,
    throttleLimit: env.THROTTLE_LIMIT,
    idempotencyHours: env.IDEMPOTENCY_HOURS,
    role: env.INSTANCE_ROLE,
    drainSeconds: env.DRAIN_SECONDS,
  }),
});
