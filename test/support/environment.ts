export type Environment = Record<string, string | undefined>;

/** The configuration of a test's API, without overrides. */
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
  MAIL_FROM: "Service <no-reply@app.test>",
  SMTP_HOST: "127.0.0.1",
  SMTP_PORT: String(smtpPort),
  // Tests of plans set their own.
  BILLING_PLANS_FILE: "none",
  // Tests share one address; tests of the limit set their own.
  THROTTLE_LIMIT: "1000000",
  // There is no load balancer to wait for; tests of the shutdown set their own.
  DRAIN_SECONDS: "0",
});
