import * as health from "#sql/health";
import { explorer } from "../core/api/explorer.ts";
import { createReadiness } from "../core/api/readiness.ts";
import type { Config } from "../core/config.ts";
import type { App } from "../core/context.ts";
import { TIMING, type Timing } from "../features/notifications/timing.ts";
import { checkEncryptionKeyOfSecrets } from "../features/two-factor/check-encryption-key.ts";
import { startChangeFeed } from "../platform/db/change-feed.ts";
import { newestMigration } from "../platform/db/migrations.ts";
import { clientAddressFrom } from "../platform/http/client-address.ts";
import { createHandler } from "./handler.ts";
import { bunRuntime } from "./runtimes/bun.ts";
import { startServices } from "./services.ts";

/** A service that is up. */
export interface Running {
  app: App;
  url: string;
  metricsUrl: string | null;
  /** Ends within 10 s: no new requests, those in flight finish, then jobs and connections. */
  stop(): Promise<void>;
}

/** Longer than any wait for the database, so that those requests still get their answer. */
const DRAIN_MS = 8_500;
const STOP_MS = 9_500;

/**
 * Starts everything that one instance is made of. `runJobs: false` leaves the jobs to others; `pages` are those of a
 * client, in development, where there is none; `readinessMs` is how long a response about readiness stays good.
 */
export async function startServer(
  config: Config,
  options: {
    runJobs?: boolean;
    timing?: Timing;
    mostPeople?: number;
    readinessMs?: number;
    pages?: Record<string, () => Response>;
  } = {},
): Promise<Running> {
  const services = await startServices(config, bunRuntime, options);
  const { app } = services;
  const { log, db, jobs } = app;
  const changeFeed = startChangeFeed({
    url: config.database.listenUrl,
    channel: "notifications",
    log,
    onPayload: app.streams.onChange,
    onConnect: app.streams.refreshAll,
    second: options.timing?.secondMs ?? TIMING.secondMs,
  });

  // Loaded where it is asked for, as it takes some megabytes.
  const metrics =
    config.metricsPort === null ? null : (await import("../platform/metrics.ts")).createMetrics();
  const newest = newestMigration();
  const readiness = createReadiness(
    {
      database: async () => (await health.findMigration.run({ name: newest }, db)).length === 1,
      jobs: () => jobs.isReachable(),
      changeFeed: () => changeFeed.isConnected(),
      storage: () => app.storage.check(),
    },
    { log, betweenMs: options.readinessMs },
  );
  const handle = createHandler(app, {
    clientAddress: clientAddressFrom(config.trustProxy),
    metrics,
    explorer: explorer(),
    readiness,
  });

  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    idleTimeout: 30,
    // No page of Bun's own about an error, whatever NODE_ENV says.
    development: false,
    // Limits are the routes' own: Bun's refusal would not have the shape of an error.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    routes: options.pages ?? {},
    fetch: async (request, bun) => {
      const response = await handle(request, bun.requestIP(request)?.address ?? "");
      // A stream may be silent for longer than a request may.
      if (response.headers.get("content-type") === "text/event-stream") bun.timeout(request, 0);
      return response;
    },
  });
  const metricsServer =
    metrics &&
    Bun.serve({
      hostname: config.host,
      port: config.metricsPort ?? 0,
      fetch: async (request) =>
        new URL(request.url).pathname === "/metrics"
          ? new Response(await metrics.text(), { headers: { "content-type": metrics.contentType } })
          : new Response(null, { status: 404 }),
    });
  log.info("listening", { url: server.url.href, metrics: metricsServer?.url.href });

  let stopping: Promise<void> | null = null;
  // Once the database is there, which may come after the service.
  void jobs
    .untilRunning()
    .then(() => (stopping === null ? checkEncryptionKeyOfSecrets(app) : undefined))
    .catch((err) => log.warn("the keys of two-factor secrets were not looked at", { err }));
  async function stop() {
    log.info("stopping");
    const since = performance.now();
    // They would never end by themselves.
    app.streams.stop();
    await within(DRAIN_MS, server.stop());
    const rest = Promise.all([changeFeed.stop(), metricsServer?.stop(true), services.stop()]);
    await within(STOP_MS - (performance.now() - since), rest);
  }
  return {
    app,
    url: server.url.href.replace(/\/$/, ""),
    metricsUrl: metricsServer ? `${metricsServer.url.href}metrics` : null,
    stop: () => (stopping ??= stop()),
  };
}

/** Waits for `work`, but not for ever: a request, a job or a database may hang. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, tooLong]);
  clearTimeout(timer);
}
