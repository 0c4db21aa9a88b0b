import { z } from "zod";
import { PRICE, pricesFrom, readPlans } from "../core/plans/plan-file.ts";
import {
  type ProviderConfig,
  providerProblems,
  providersFrom,
} from "../features/identities/configuration.ts";
import { type Given, isListOf, isLoopback, isUrl, list } from "../platform/environment.ts";
import { isTrustedProxies } from "../platform/http/client-address.ts";
import { LOG_LEVELS } from "../platform/log.ts";

/**
 * The whole configuration (rules 24.1), read once at boot. This file alone knows the environment.
 * An empty variable counts as unset, because compose files and CI systems hand over empty ones.
 */
export type Config = ReturnType<typeof shape>;

type Result = { config: Config; problems: null } | { config: null; problems: string[] };

/** Takes the environment; answers the configuration, or every problem at once, none of which shows a value. */
export function readConfig(environment: Record<string, string | undefined>): Result {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = Environment.safeParse(given);
  const mistakes = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join(".")} ${sentence(issue)}`);
  // The rules across keys read the raw values, so that they are named beside any other mistake.
  const plans = plansFrom(given);
  const problems = [...mistakes, ...crossChecks(given), ...plans.problems, ...providerProblems(given)];
  return parsed.success && problems.length === 0
    ? { config: shape(parsed.data, plans, providersFrom(given)), problems: null }
    : { config: null, problems };
}

const url = (protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => isUrl(value, protocols),
      `must be an absolute URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
    );
/** A base to which paths are appended, so it ends with its own path. */
const baseUrl = () =>
  url(["http:", "https:"]).refine((value) => !/[?#]/.test(value), "must have no query and no fragment");
const integer = (min: number, max: number) =>
  z
    .string()
    .refine(
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
const flag = z.enum(["true", "false"]).transform((value) => value === "true");
const secret = (min: number) => z.string().min(min, `must have at least ${min} characters`);

const ADDRESS = '[^\\s<>@,;:"]+@[^\\s<>@,;:"]+';
/** An address, or a name and an address; a name with punctuation of mail headers stands in quotes. */
const MAIL_FROM = new RegExp(`^(?:${ADDRESS}|(?:"[^"\\r\\n\\\\]*"|[^<>@,;:"\\r\\n]*) ?<${ADDRESS}>)$`);

const Environment = z.object({
  NODE_ENV: z.enum(["development", "production", "test"]).default("development"),
  PORT: integer(0, 65_535).default(3000),
  HOST: z.string().default("0.0.0.0"),
  LOG_LEVEL: z.enum(LOG_LEVELS).default("info"),
  METRICS_PORT: integer(0, 65_535).optional(),
  APP_URL: baseUrl(),
  API_URL: baseUrl().optional(),
  CORS_ORIGIN: z
    .string()
    .optional()
    .refine(
      (value) => isListOf(value, (origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      "must be a comma-separated list of origins such as https://app.example.com",
    )
    .transform((value) => list(value ?? "")),
  TRUST_PROXY: z
    .string()
    .refine(
      isTrustedProxies,
      "must be a hop count from 1 to 10, or a comma-separated list of proxy addresses and CIDR ranges (not /0)",
    )
    .optional(),
  DATABASE_URL: url(["postgres:", "postgresql:"]),
  DATABASE_LISTEN_URL: url(["postgres:", "postgresql:"]).optional(),
  DATABASE_POOL_SIZE: integer(1, 1000).default(10),
  JWT_SECRET: z.string(),
  JWT_ACCESS_TTL: z
    .string()
    .default("15m")
    .refine(
      (value) => seconds(value) >= 1 && seconds(value) <= 86_400,
      "must be a lifetime from 1 second to 24 hours, such as 900 or 15m",
    )
    .transform(seconds),
  REFRESH_TOKEN_TTL_DAYS: integer(1, 365).default(7),
  MAX_ACTIVE_SESSIONS_PER_USER: integer(1, 1000).default(10),
  THROTTLE_LIMIT: integer(1, 1_000_000).default(5),
  DEFAULT_LANGUAGE: z.enum(["el", "en"]).default("en"),
  MAIL_FROM: z
    .string()
    .refine(
      (value) => MAIL_FROM.test(value),
      "must be an email address, or a name and an address as in Acme <no-reply@acme.example>",
    ),
  SMTP_HOST: z.string(),
  SMTP_PORT: integer(1, 65_535),
  // Only the exact string `true` means TLS from the first byte.
  SMTP_SECURE: z
    .string()
    .default("false")
    .transform((value) => value === "true"),
  SMTP_ALLOW_PLAINTEXT: flag.default(false),
  SMTP_USER: z.string().default(""),
  SMTP_PASS: z.string().default(""),
  JOBS_ENCRYPTION_KEY: secret(32),
  TWO_FACTOR_ENCRYPTION_KEY: secret(32),
  STORAGE_DRIVER: z.enum(["local", "s3"]).default("local"),
  STORAGE_DIR: z.string().optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().optional(),
  S3_ENDPOINT: url(["http:", "https:"]).optional(),
  S3_FORCE_PATH_STYLE: flag.default(false),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  BILLING_PLANS_FILE: z.string().optional(),
  PAYMENT_API_URL: url(["http:", "https:"]).optional(),
  PAYMENT_SECRET_KEY: z.string().optional(),
  PAYMENT_WEBHOOK_SECRET: z.string().optional(),
  PAYMENT_PRICES: z
    .string()
    .optional()
    .refine(
      (value) => isListOf(value, (price) => PRICE.test(price)),
      "must be a comma-separated list of plan:month:price_id or plan:year:price_id",
    ),
});

/** The rules that span several keys. */
function crossChecks(given: Given): string[] {
  const problems: string[] = [];
  const production = given.NODE_ENV === "production";
  const need = (key: string, why: string) => {
    if (!given[key]) problems.push(`${key} is required ${why}`);
  };

  if (production) {
    for (const key of ["APP_URL", "API_URL"]) {
      if (given[key]?.toLowerCase().startsWith("http:"))
        problems.push(`${key} must begin with https:// in production`);
    }
    if (given.JWT_SECRET && new TextEncoder().encode(given.JWT_SECRET).length < 32) {
      problems.push("JWT_SECRET must have at least 32 bytes in production");
    }
  }
  if (given.JOBS_ENCRYPTION_KEY && given.JOBS_ENCRYPTION_KEY === given.TWO_FACTOR_ENCRYPTION_KEY) {
    problems.push("TWO_FACTOR_ENCRYPTION_KEY must differ from JOBS_ENCRYPTION_KEY");
  }
  if (given.S3_ACCESS_KEY_ID) need("S3_SECRET_ACCESS_KEY", "beside S3_ACCESS_KEY_ID");
  if (given.S3_SECRET_ACCESS_KEY) need("S3_ACCESS_KEY_ID", "beside S3_SECRET_ACCESS_KEY");
  const driver = given.STORAGE_DRIVER ?? "local";
  if (driver === "s3") {
    need("S3_BUCKET", "with STORAGE_DRIVER=s3");
    need("S3_REGION", "with STORAGE_DRIVER=s3");
  } else if (driver === "local" && production) {
    need("STORAGE_DIR", "in production with the local storage driver");
    if (given.STORAGE_DIR && !given.STORAGE_DIR.startsWith("/")) {
      problems.push("STORAGE_DIR must be an absolute path in production");
    }
  }
  if (given.BILLING_PLANS_FILE !== "none") {
    const payment = ["PAYMENT_SECRET_KEY", "PAYMENT_WEBHOOK_SECRET", "PAYMENT_PRICES"];
    if (production || payment.some((key) => given[key])) {
      for (const key of payment) need(key, "unless BILLING_PLANS_FILE is none");
    }
  }
  return problems;
}

/** The plans that are sold, or given; none where billing is off. */
function plansFrom(given: Given) {
  if (given.BILLING_PLANS_FILE === "none") return { plans: null, prices: [], problems: [] };
  const written = list(given.PAYMENT_PRICES ?? "");
  // Where one is malformed, that is complained about, and not that it is missing.
  const prices = written.every((price) => PRICE.test(price)) ? pricesFrom(written) : [];
  return { ...readPlans(given.BILLING_PLANS_FILE ?? null, prices), prices };
}

type PlansFrom = ReturnType<typeof plansFrom>;

function shape(env: z.output<typeof Environment>, { plans, prices }: PlansFrom, oidc: ProviderConfig[]) {
  const appUrl = env.APP_URL.replace(/\/+$/, "");
  return {
    production: env.NODE_ENV === "production",
    host: env.HOST,
    port: env.PORT,
    metricsPort: env.METRICS_PORT ?? null,
    logLevel: env.LOG_LEVEL,
    /** Without a slash at its end. */
    appUrl,
    apiUrl: env.API_URL?.replace(/\/+$/, "") ?? appUrl,
    corsOrigins: env.CORS_ORIGIN,
    trustProxy: env.TRUST_PROXY ?? null,
    database: {
      url: env.DATABASE_URL,
      listenUrl: env.DATABASE_LISTEN_URL ?? env.DATABASE_URL,
      poolSize: env.DATABASE_POOL_SIZE,
    },
    jwtSecret: env.JWT_SECRET,
    accessTokenSeconds: env.JWT_ACCESS_TTL,
    refreshTokenDays: env.REFRESH_TOKEN_TTL_DAYS,
    maxSessionsPerUser: env.MAX_ACTIVE_SESSIONS_PER_USER,
    throttleLimit: env.THROTTLE_LIMIT,
    defaultLanguage: env.DEFAULT_LANGUAGE,
    mail: {
      from: env.MAIL_FROM,
      host: env.SMTP_HOST,
      port: env.SMTP_PORT,
      secure: env.SMTP_SECURE,
      /** Whether a server that offers no TLS gets nothing. Offered, it is used in any case. */
      requireTls: env.NODE_ENV === "production" && !env.SMTP_ALLOW_PLAINTEXT && !isLoopback(env.SMTP_HOST),
      user: env.SMTP_USER,
      pass: env.SMTP_PASS,
    },
    jobsKey: env.JOBS_ENCRYPTION_KEY,
    twoFactorKey: env.TWO_FACTOR_ENCRYPTION_KEY,
    storage: {
      driver: env.STORAGE_DRIVER,
      directory: env.STORAGE_DIR ?? null,
      s3: {
        bucket: env.S3_BUCKET ?? "",
        region: env.S3_REGION ?? "",
        endpoint: env.S3_ENDPOINT ?? null,
        forcePathStyle: env.S3_FORCE_PATH_STYLE,
        accessKeyId: env.S3_ACCESS_KEY_ID ?? null,
        secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? null,
      },
    },
    billing: {
      /** Null for no billing at all: no limits, every feature. */
      plans,
      apiUrl: env.PAYMENT_API_URL ?? null,
      secretKey: env.PAYMENT_SECRET_KEY ?? null,
      webhookSecret: env.PAYMENT_WEBHOOK_SECRET ?? null,
      prices,
    },
    oidc,
  };
}

/** `900`, `900s`, `15m` or `2h` in seconds; NaN for anything else. */
function seconds(value: string): number {
  const match = /^(\d{1,9})(s|m|h)?$/.exec(value);
  const unit = { s: 1, m: 60, h: 3600 }[match?.[2] ?? "s"] ?? 1;
  return match ? Number(match[1]) * unit : Number.NaN;
}

/** What is wrong, without the value that is wrong. */
function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return "is required"; // The environment holds strings or nothing.
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  return issue.message;
}
