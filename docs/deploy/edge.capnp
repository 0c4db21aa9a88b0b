# The service on workerd. After `bun run build:edge`, with the variables of `.env` exported:
#   node_modules/.bin/workerd serve docs/deploy/edge.capnp
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .edge),
    # PostgreSQL, S3, the payment provider and identity providers. Narrow `allow` to their networks where you can.
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:3000", http = (), service = "main")],
);

const edge :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "../../dist/edge/worker.js"),
    (name = "argon2.wasm", wasm = embed "../../dist/edge/argon2.wasm"),
  ],
  compatibilityDate = "2026-11-01",
  # What is not set is not there.
  bindings = [
    (name = "API_URL", fromEnvironment = "API_URL"),
    (name = "APP_URL", fromEnvironment = "APP_URL"),
    (name = "BILLING_PLANS_FILE", fromEnvironment = "BILLING_PLANS_FILE"),
    (name = "CORS_ORIGIN", fromEnvironment = "CORS_ORIGIN"),
    (name = "DATABASE_LISTEN_URL", fromEnvironment = "DATABASE_LISTEN_URL"),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "DEFAULT_LANGUAGE", fromEnvironment = "DEFAULT_LANGUAGE"),
    (name = "JOBS_ENCRYPTION_KEY", fromEnvironment = "JOBS_ENCRYPTION_KEY"),
    (name = "JOBS_ENCRYPTION_KEY_PREVIOUS", fromEnvironment = "JOBS_ENCRYPTION_KEY_PREVIOUS"),
    (name = "JWT_ACCESS_TTL", fromEnvironment = "JWT_ACCESS_TTL"),
    (name = "JWT_SECRET", fromEnvironment = "JWT_SECRET"),
    (name = "JWT_SECRET_PREVIOUS", fromEnvironment = "JWT_SECRET_PREVIOUS"),
    (name = "LOG_LEVEL", fromEnvironment = "LOG_LEVEL"),
    (name = "MAIL_FROM", fromEnvironment = "MAIL_FROM"),
    (name = "MAX_ACTIVE_SESSIONS_PER_USER", fromEnvironment = "MAX_ACTIVE_SESSIONS_PER_USER"),
    (name = "NODE_ENV", fromEnvironment = "NODE_ENV"),
    (name = "OIDC_ACME_CLIENT_ID", fromEnvironment = "OIDC_ACME_CLIENT_ID"),
    (name = "OIDC_ACME_CLIENT_SECRET", fromEnvironment = "OIDC_ACME_CLIENT_SECRET"),
    (name = "OIDC_ACME_ISSUER", fromEnvironment = "OIDC_ACME_ISSUER"),
    (name = "OIDC_ACME_NAME", fromEnvironment = "OIDC_ACME_NAME"),
    (name = "OIDC_ACME_SCOPES", fromEnvironment = "OIDC_ACME_SCOPES"),
    (name = "OIDC_PROVIDERS", fromEnvironment = "OIDC_PROVIDERS"),
    (name = "PAYMENT_API_URL", fromEnvironment = "PAYMENT_API_URL"),
    (name = "PAYMENT_PRICES", fromEnvironment = "PAYMENT_PRICES"),
    (name = "PAYMENT_SECRET_KEY", fromEnvironment = "PAYMENT_SECRET_KEY"),
    (name = "PAYMENT_WEBHOOK_SECRET", fromEnvironment = "PAYMENT_WEBHOOK_SECRET"),
    (name = "REFRESH_TOKEN_TTL_DAYS", fromEnvironment = "REFRESH_TOKEN_TTL_DAYS"),
    (name = "REQUIRE_TWO_FACTOR", fromEnvironment = "REQUIRE_TWO_FACTOR"),
    (name = "RETENTION_NOTIFICATIONS_DAYS", fromEnvironment = "RETENTION_NOTIFICATIONS_DAYS"),
    (name = "S3_ACCESS_KEY_ID", fromEnvironment = "S3_ACCESS_KEY_ID"),
    (name = "S3_BUCKET", fromEnvironment = "S3_BUCKET"),
    (name = "S3_ENDPOINT", fromEnvironment = "S3_ENDPOINT"),
    (name = "S3_FORCE_PATH_STYLE", fromEnvironment = "S3_FORCE_PATH_STYLE"),
    (name = "S3_REGION", fromEnvironment = "S3_REGION"),
    (name = "S3_SECRET_ACCESS_KEY", fromEnvironment = "S3_SECRET_ACCESS_KEY"),
    (name = "SMTP_ALLOW_PLAINTEXT", fromEnvironment = "SMTP_ALLOW_PLAINTEXT"),
    (name = "SMTP_HOST", fromEnvironment = "SMTP_HOST"),
    (name = "SMTP_PASS", fromEnvironment = "SMTP_PASS"),
    (name = "SMTP_PORT", fromEnvironment = "SMTP_PORT"),
    (name = "SMTP_SECURE", fromEnvironment = "SMTP_SECURE"),
    (name = "SMTP_USER", fromEnvironment = "SMTP_USER"),
    (name = "STORAGE_DRIVER", fromEnvironment = "STORAGE_DRIVER"),
    (name = "THROTTLE_LIMIT", fromEnvironment = "THROTTLE_LIMIT"),
    (name = "TRUST_PROXY", fromEnvironment = "TRUST_PROXY"),
    (name = "TWO_FACTOR_ENCRYPTION_KEY", fromEnvironment = "TWO_FACTOR_ENCRYPTION_KEY"),
    (name = "TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS", fromEnvironment = "TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS"),
    (name = "STORAGE_DIR", fromEnvironment = "STORAGE_DIR"),
  ],
);
