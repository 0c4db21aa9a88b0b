import { availableParallelism } from "node:os";
import type { Config } from "./config.ts";
import type { App } from "./context.ts";
import { connect } from "./db/connection.ts";
import { createImageCleaner } from "./helpdesk/images/cleaner.ts";
import { helpdeskLimits } from "./helpdesk/limits.ts";
import { accessTokens } from "./http/access-token.ts";
import { bodyIntakes } from "./http/body-intake.ts";
import { serviceUnavailable, tooManyRequests } from "./http/errors.ts";
import { createLogger } from "./http/log.ts";
import { standardOutput } from "./http/log-output.ts";
import { jobKinds } from "./jobs/kinds.ts";
import { startJobs } from "./jobs/queue.ts";
import { smtpMailer } from "./mail/mailer.ts";
import { countUnreadOf } from "./notifications/service.ts";
import { createStreams } from "./notifications/streams.ts";
import { TIMING } from "./notifications/timing.ts";
import { loadEngine } from "./passwords/engine.ts";
import { createHasher, defaultConcurrency } from "./passwords/hasher.ts";
import { box } from "./secrets.ts";
import { openStorage } from "./storage/storage.ts";

/** Passwords beyond those that wait already are refused by 503: at one hash in 10 ms, two seconds of them. */
const MOST_WAITING_HASHES = 200;

/** See `App.mostPeople`. */
const MOST_PEOPLE = 1_000;

/** Makes what lives as long as the process. `runJobs: false` only sends jobs, and leaves doing them to others. */
export async function startServices(
  config: Config,
  { runJobs = true, timing = TIMING, mostPeople = MOST_PEOPLE } = {},
) {
  const output = standardOutput();
  const log = createLogger(config.logLevel, output);
  const { url } = config.database;
  const app: App = {
    config,
    log,
    db: connect({ ...config.database, applicationName: "api" }),
    jobs: startJobs({ url, key: config.jobsKey, log, kinds: runJobs ? jobKinds : [] }, () => app),
    mailer: smtpMailer(config.mail),
    hasher: createHasher(await loadEngine(), {
      concurrency: defaultConcurrency(availableParallelism()),
      queue: MOST_WAITING_HASHES,
      onFull: () => serviceUnavailable(new Error("Too many passwords wait to be hashed")),
      onManyOfOne: () => tooManyRequests(1),
    }),
    accessTokens: accessTokens({
      secret: config.jwtSecret,
      issuer: config.appUrl,
      lifetimeSeconds: config.accessTokenSeconds,
    }),
    twoFactorBox: box(config.twoFactorKey, "two-factor"),
    payments: await paymentsOf(config),
    identityProviders: await identityProvidersOf(config),
    storage: await openStorage(config),
    images: createImageCleaner(),
    helpdeskLimits: helpdeskLimits(),
    mostPeople,
    bodies: bodyIntakes(),
    streams: createStreams({ count: (userIds) => countUnreadOf(app.db, userIds), log, timing }),
  };
  return {
    app,
    async stop() {
      app.streams.stop();
      await app.jobs.stop();
      app.mailer.close();
      await app.db.close();
      await output.flush();
    },
  };
}

/** Loaded where plans are sold, for the provider's package is large. */
async function paymentsOf({ billing }: Config) {
  const { plans, secretKey, apiUrl } = billing;
  if (plans === null || secretKey === null) return null;
  const { stripeProvider } = await import("./billing/provider.ts");
  return stripeProvider({ secretKey, apiUrl });
}

/** Loaded where there are some. */
async function identityProvidersOf({ oidc, apiUrl }: Config) {
  if (oidc.length === 0) return new Map();
  const { openIdProvider } = await import("./identities/openid.ts");
  return new Map(
    oidc.map((provider) => [
      provider.key,
      openIdProvider(provider, `${apiUrl}/api/auth/oidc/${provider.key}/callback`),
    ]),
  );
}
