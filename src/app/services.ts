import { accessTokens } from "../core/access/access-token.ts";
import { openSigningKeys } from "../core/access/signing-keys.ts";
import { createBodyReaders } from "../core/bodies.ts";
import type { Config } from "../core/config.ts";
import type { App, Service } from "../core/context.ts";
import type { ServiceMeter } from "../core/counters.ts";
import { LIMITS } from "../core/definitions/limits.ts";
import { documentAddresses } from "../features/connected-apps/documents/addresses.ts";
import { DOCUMENT_RESPONSE_BYTES } from "../features/connected-apps/documents/fetch.ts";
import { rangeService } from "../features/front-door/range-service.ts";
import { turnstile } from "../features/front-door/turnstile.ts";
import { countUnreadIn, countUnreadOf } from "../features/notifications/service.ts";
import { TIMING, type Timing } from "../features/notifications/timing.ts";
import { providerAddresses } from "../features/sign-on/provider-calls.ts";
import { createCipher } from "../platform/crypto.ts";
import { type ApiError, serviceUnavailable, tooManyRequests } from "../platform/errors.ts";
import type { FindAddresses } from "../platform/http/bounded-fetch.ts";
import { Permits } from "../platform/limits/permits.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { noMeter } from "../platform/meter.ts";
import type { Metrics } from "../platform/metrics.ts";
import { createHasher, type HashPermits } from "../platform/passwords/hasher.ts";
import type { Fetch, Tracing } from "../platform/tracing/tracing.ts";
import type { Build } from "../platform/version.ts";
import type { Runtime } from "./runtimes/runtime.ts";
import { StartError } from "./start-error.ts";

/**
 * The maximum size of a response in bytes, headers and framing included (rules 23.14). It is far larger than any
 * metadata, key set, token or claims of a sign-in provider, and than a page of the payment provider.
 */
const SIGN_IN_RESPONSE_BYTES = 1024 * 1024;
const PAYMENT_RESPONSE_BYTES = 8 * 1024 * 1024;
const RANGE_RESPONSE_BYTES = 1024 * 1024;
const BOT_CHECK_RESPONSE_BYTES = 64 * 1024;

/** The default of `App.maxUserIdsInFilter`. */
const MAX_USER_IDS_IN_FILTER = 1_000;

export type ServiceOptions = {
  /** With false, jobs are only queued, and other instances run them. */
  runJobs?: boolean;
  timing?: Timing;
  maxUserIdsInFilter?: number;
  /** How long a request waits for the database; for tests on a busy machine. */
  maxWaitMs?: number | undefined;
  /** How long a request waits for one call of the payment provider; likewise. */
  providerTimeoutMs?: number | undefined;
  metrics?: Metrics | null;
  /** Whether password hashes with other costs are left as they are at sign-in, for tests with cheap hashes. */
  keepsHashes?: boolean;
  openTracing?: ((log: Logger) => Promise<Tracing>) | null;
  /** The version, which is named in the first line of the log. */
  build?: Build | null;
};

/** Creates everything that lives as long as the process. */
export async function startServices(
  config: Config,
  runtime: Runtime,
  {
    runJobs = true,
    timing = TIMING,
    maxUserIdsInFilter = MAX_USER_IDS_IN_FILTER,
    maxWaitMs,
    providerTimeoutMs,
    metrics = null,
    keepsHashes = false,
    openTracing = null,
    build = null,
  }: ServiceOptions = {},
) {
  const output = runtime.openLog();
  const log = createLogger(config.logLevel, output);
  if (build !== null) log.info("starting", { version: build.version, revision: build.revision });
  for (const warning of config.warnings) log.warn("a setting is probably not meant", { warning });
  const tracing = (await openTracing?.(log)) ?? null;
  const meter: ServiceMeter = metrics ?? noMeter;
  const { replicaUrl } = config.database;
  const mailer = runtime.createMailer(config.mail);
  const db = runtime.openDatabase({
    ...config.database,
    replica: replicaUrl === null ? null : { url: replicaUrl, log },
    tracing,
    maxWaitMs,
    ...(metrics && { onWait: metrics.observeWait }),
  });
  const storage = await runtime.openStorage(config.storage, db);
  const isS3 = config.storage.driver === "s3";
  const sendWithin = (maxBytes: number, findAddresses?: FindAddresses) => {
    const send = runtime.boundedFetch(maxBytes, findAddresses);
    return tracing?.fetch(send) ?? send;
  };
  const signingKeys = await openSigningKeys(config.signingKeys).catch((error) => {
    throw new StartError(error.message);
  });
  const engine = await runtime.loadEngine().catch(() => {
    throw new StartError("Passwords cannot be hashed: @node-rs/argon2 has no binary for this platform");
  });
  const app: App = {
    config,
    log,
    meter,
    jobs: runtime.openQueue({ config, log, runJobs, tracing }, () => service),
    mailer: tracing?.mailer(mailer, config.mail) ?? mailer,
    hasher: createHasher(engine, hashPermits(runtime.hashConcurrency, meter), {
      keepsHashes,
    }),
    accessTokens: await accessTokens({
      secret: config.jwtSecret,
      previousSecret: config.jwtSecretPrevious,
      acceptHs256: config.acceptHs256,
      signingKeys,
      issuer: config.appUrl,
      lifetimeSeconds: config.accessTokenSeconds,
    }),
    signingKeys,
    twoFactorCipher: createCipher(config.twoFactorKey, "two-factor", config.twoFactorKeyPrevious),
    breachedPasswords:
      config.breachedPasswordsUrl === null
        ? null
        : // Not traced: the path of the URL is a part of the password's digest.
          rangeService(config.breachedPasswordsUrl, runtime.boundedFetch(RANGE_RESPONSE_BYTES)),
    botCheck: config.botCheck && turnstile(config.botCheck, sendWithin(BOT_CHECK_RESPONSE_BYTES)),
    payments: await paymentsOf(config, sendWithin(PAYMENT_RESPONSE_BYTES), providerTimeoutMs),
    callProvider: sendWithin(SIGN_IN_RESPONSE_BYTES, providerAddresses(config)),
    fetchDocument: sendWithin(DOCUMENT_RESPONSE_BYTES, documentAddresses(config)),
    identityProviders: await identityProvidersOf(config, sendWithin(SIGN_IN_RESPONSE_BYTES)),
    storage: (isS3 && tracing?.storage(storage, config.storage.s3.bucket)) || storage,
    images: runtime.createImageCleaner(),
    resolveTxt: runtime.createTxtResolver(config),
    maxUserIdsInFilter,
    timersOutliveRequests: runtime.timersOutliveRequests,
    bodies: createBodyReaders(),
    streams: runtime.openStreams({
      count: (userIds) => countUnreadOf(db, userIds),
      countIn: (place) => countUnreadIn(db, place),
      log,
      timing,
      onDrop: (reason) => meter.count("streams_dropped_total", { reason }),
    }),
  };
  const service: Service = { app, db, log };
  return {
    ...service,
    tracing,
    async stop() {
      app.streams.stop();
      await app.jobs.stop();
      app.mailer.close();
      await db.close();
      await tracing?.stop();
      await output.flush();
    },
  };
}

function hashPermits(atOnce: number, meter: ServiceMeter): HashPermits {
  const counted = (error: ApiError) => {
    meter.count("password_hashes_refused_total");
    return error;
  };
  const full = () => counted(serviceUnavailable(new Error("Too many passwords wait to be hashed")));
  const { levels } = LIMITS.hashes;
  return new Permits(
    { ...levels, instance: { ...levels.instance, max: atOnce } },
    { account: () => counted(tooManyRequests(1)), reauthentications: full, instance: full },
  );
}

/** Loads the payment provider, only if plans are sold, because its package is large. */
async function paymentsOf({ billing, payments }: Config, send: Fetch, timeoutMs: number | undefined) {
  const { secretKey, apiUrl } = payments;
  if (billing.plans === null || secretKey === null) return null;
  const { stripeProvider } = await import("../features/billing/provider.ts");
  return stripeProvider({ secretKey, apiUrl, send, timeoutMs });
}

/** Loads the sign-in providers, only if any are configured. */
async function identityProvidersOf({ oidc, apiUrl }: Config, send: Fetch) {
  if (oidc.length === 0) return new Map();
  const { openIdProvider } = await import("../features/identities/openid.ts");
  return new Map(
    oidc.map((provider) => [
      provider.key,
      openIdProvider(provider, `${apiUrl}/api/auth/oidc/${provider.key}/callback`, send),
    ]),
  );
}
