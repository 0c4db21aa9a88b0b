import { join } from "node:path";
import { readConfig } from "../app/config.ts";
import type { Config } from "../core/config.ts";
import { BOT_CHECK_KEYS } from "./bot-check.ts";
import type { DemoProvider } from "./demo-sign-on.ts";

export const PAYMENT_SECRET_KEY = "sk_only_for_development";
export const PAYMENT_WEBHOOK_SECRET = "whsec_only_for_development";
export const IDENTITY_CLIENT = { id: "service", secret: "only-for-development" };

type Addresses = {
  /** The public URL of console and API in development. */
  url: string;
  /** The port of the service itself. The server of the console passes requests on to it. */
  port: number;
  databaseUrl: string;
  smtpPort: number;
  paymentsUrl: string;
  issuer: string;
  receiverUrl: string;
  /** The DNS server that the service asks, with its port. */
  dnsServer: string;
  /** The provider at which the people of the demo organization Globex sign in. */
  provider: DemoProvider;
  /** The mocks of the front door, if they run. */
  rangeUrl?: string;
  botCheckUrl?: string;
  dataFolder: string;
};

/**
 * Returns the environment variables of the service in development, and values parsed from them. Variables that the
 * developer sets take precedence, except those that connect the parts with each other.
 * @throws Error that lists all invalid variables
 */
export function developmentEnvironment({
  url,
  port,
  databaseUrl,
  smtpPort,
  paymentsUrl,
  issuer,
  receiverUrl,
  dnsServer,
  provider,
  rangeUrl,
  botCheckUrl,
  dataFolder,
}: Addresses): { environment: Record<string, string | undefined>; config: Config } {
  const environment = {
    APP_URL: url,
    MAIL_FROM: "Demo <no-reply@demo.example>",
    JWT_SECRET: "only-for-development",
    JOBS_ENCRYPTION_KEY: "only-for-development-jobs-0123456789",
    TWO_FACTOR_ENCRYPTION_KEY: "only-for-development-2fa-0123456789",
    CONNECTION_ENCRYPTION_KEY: "only-for-development-sso-0123456789",
    SSO: "on",
    OAUTH: "on",
    OAUTH_APPS: "any",
    STORAGE_DIR: join(dataFolder, "files"),
    WEB: "on",
    THROTTLE_LIMIT: "60",
    LOG_LEVEL: "warn",
    // The mock of the payment provider sells the bundled plans.
    ...(!process.env.BILLING_PLANS_FILE && {
      PAYMENT_SECRET_KEY,
      PAYMENT_WEBHOOK_SECRET,
      PAYMENT_PRICES:
        "pro:month:price_pro_month,pro:year:price_pro_year,enterprise:year:price_enterprise_year",
      PAYMENT_API_URL: paymentsUrl,
    }),
    OIDC_PROVIDERS: "demo",
    OIDC_DEMO_ISSUER: issuer,
    OIDC_DEMO_CLIENT_ID: IDENTITY_CLIENT.id,
    OIDC_DEMO_CLIENT_SECRET: IDENTITY_CLIENT.secret,
    OIDC_DEMO_NAME: "Demo ID",
    DRAIN_SECONDS: "0",
    // The development server of a client of one's own, at Vite's usual port.
    CORS_ORIGIN: "http://localhost:5173",
    // Allows webhook endpoints on this machine, where the receiver of webhooks runs.
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
    DEMO_RECEIVER_URL: receiverUrl,
    DEMO_PROVIDER: JSON.stringify(provider),
    DNS_SERVERS: dnsServer,
    ...(rangeUrl !== undefined && { BREACHED_PASSWORDS_URL: rangeUrl }),
    // The mock of the bot check, for BOT_CHECK=turnstile without keys.
    ...(process.env.BOT_CHECK === "turnstile" &&
      !process.env.BOT_CHECK_SITE_KEY && {
        BOT_CHECK_SITE_KEY: BOT_CHECK_KEYS.siteKey,
        BOT_CHECK_SECRET: BOT_CHECK_KEYS.secret,
        BOT_CHECK_URL: botCheckUrl,
      }),
    ...process.env,
    NODE_ENV: "development",
    // Listens only on this machine, because the secrets and passwords of development are public.
    HOST: "127.0.0.1",
    METRICS_HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATABASE_LISTEN_URL: databaseUrl,
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(smtpPort),
  };
  const { config, problems } = readConfig(environment);
  if (config === null) throw new Error(`The environment has invalid variables:\n${problems.join("\n")}`);
  return { environment, config };
}
