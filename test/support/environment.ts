export type Environment = Record<string, string | undefined>;

/** Returns the default configuration of an API under test. */
export const environmentFor = (databaseUrl: string, smtpPort: number): Environment => ({
  NODE_ENV: "test",
  HOST: "127.0.0.1",
  PORT: "0",
  APP_URL: "http://app.test",
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: "10",
  JWT_SECRET: "a-secret-that-only-tests-know-0123456789",
  JOBS_ENCRYPTION_KEY: "jobs-key-0123456789-0123456789-0123456789",
  TWO_FACTOR_ENCRYPTION_KEY: "two-factor-key-0123456789-0123456789",
  // Tests over all routes include those of sign-on and of connected apps. No DNS server answers; tests of domains start one.
  SSO: "on",
  OAUTH: "on",
  CONNECTION_ENCRYPTION_KEY: "connection-key-0123456789-0123456789",
  DNS_SERVERS: "127.0.0.1:1",
  MAIL_FROM: "Service <no-reply@app.test>",
  SMTP_HOST: "127.0.0.1",
  SMTP_PORT: String(smtpPort),
  // Most tests need no plan limits; tests of plans override this value.
  BILLING_PLANS_FILE: "none",
  // All tests share one client address; tests of the rate limit override this value.
  THROTTLE_LIMIT: "1000000",
  // There is no load balancer that needs time to notice a shutdown; tests of the shutdown override this value.
  DRAIN_SECONDS: "0",
});
