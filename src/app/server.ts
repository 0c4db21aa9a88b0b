import { setTimeout } from "node:timers/promises";
import { explorer } from "../core/api/explorer.ts";
import { createReadiness } from "../core/api/readiness.ts";
import type { Config } from "../core/config.ts";
import type { App, Service } from "../core/context.ts";
import { TIMING } from "../features/notifications/timing.ts";
import { checkDomainOfPasskeys } from "../features/passkeys/manage.ts";
import { feedWaitsOf } from "../features/product-api/feed-waits.ts";
import { checkEncryptionKeyOfSecrets } from "../features/two-factor/secret.ts";
import { startChangeFeed } from "../platform/db/change-feed.ts";
import type { Database } from "../platform/db/database.ts";
import { clientAddressFrom } from "../platform/http/trusted-proxies.ts";
import type { Logger } from "../platform/log.ts";
import { buildOf } from "../platform/version.ts";
import { checkConnections } from "./check-connections.ts";
import { changeFeedCheck, databaseCheck } from "./database-check.ts";
import { documents } from "./documents.ts";
import { startEventWorkers } from "./event-workers.ts";
import { createHandler } from "./handler.ts";
import { bunRuntime } from "./runtimes/bun.ts";
import { type ServiceOptions, startServices } from "./services.ts";
import { listening } from "./start-error.ts";
import { openWeb } from "./web.ts";

/** A running service. */
export interface Running extends Service {
  url: string;
  metricsUrl: string | null;
  /**
   * Shuts the service down. During DRAIN_SECONDS readiness fails and requests are served. Within 10 s after that,
   * the listener closes, requests in flight finish, and then jobs and connections end.
   */
  stop(): Promise<void>;
}

/**
 * The time in which a shutdown finishes requests. It is longer than any wait for the database, so that waiting
 * requests still get their response.
 */
const DRAIN_MS = 8_500;
const STOP_MS = 9_500;
const MS_PER_SECOND = 1_000;
/**
 * The maximum time that the start waits for the job queue. After that the instance serves probes, and responds with
 * 503 to requests, because the database may start later.
 */
const QUEUE_START_MS = 5_000;
/**
 * The time after which an idle connection is closed. Proxies keep theirs for up to 60 s, and send a request on a
 * connection that the service may be closing. Bun rounds the time down by up to 4 s.
 */
export const IDLE_SECONDS = 75;
/** The period in which streams end, each at a random time, so that their clients do not all reconnect at once. */
const STREAMS_END_MS = 2_000;

type Options = Omit<ServiceOptions, "metrics" | "openTracing" | "build"> & {
  /** How long a readiness result is cached. */
  readinessMs?: number;
  /** The folder with the built console. */
  webFolder?: string;
  /** Replaces `IDLE_SECONDS`, for tests. */
  idleSeconds?: number | undefined;
};

/**
 * Starts all parts of an instance.
 * @throws StartError if the console is to be served and was not built, or a port is in use
 */
export async function startServer(config: Config, options: Options = {}): Promise<Running> {
  // The metrics library is loaded only if metrics are configured, because it takes some megabytes.
  const metrics = config.metricsPort === null ? null : await (await import("./metrics.ts")).openMetrics();
  const { tracing } = config;
  const openTracing =
    tracing &&
    (async (log: Logger) =>
      (await import("../platform/tracing/open.ts")).openTracing(tracing, config.apiUrl, log));
  const build = buildOf(process.env);
  const web = config.web ? await openWeb(config, options.webFolder) : null;
  const idleSeconds = options.idleSeconds ?? IDLE_SECONDS;
  const runJobs = config.role !== "api" && options.runJobs !== false;
  const services = await startServices(config, bunRuntime, {
    ...options,
    runJobs,
    metrics,
    openTracing,
    build,
  });
  const { app, db } = services;
  const { log, jobs } = app;
  // A process with the role `worker` serves no streams, so it needs no change feed.
  const changeFeed =
    config.role === "worker" ? null : openChangeFeed(app, options.timing?.secondMs ?? TIMING.secondMs);

  let stopping: Promise<void> | null = null;
  const database = databaseCheck(db);
  const readiness = createReadiness(
    {
      database,
      jobs: async () => {
        if (await jobs.isReachable()) return true;
        throw new Error('The job queue does not run; "job queue cannot start yet" in the log says why');
      },
      changeFeed: changeFeed === null ? () => true : changeFeedCheck(changeFeed, database),
      storage: () => app.storage.check(),
      ...replicaCheck(db),
    },
    { log, betweenMs: options.readinessMs, isStopping: () => stopping !== null },
  );
  if (metrics !== null)
    (await import("./metrics.ts")).addGauges(metrics, services, { build, changeFeed, readiness });
  const handle = createHandler(services, {
    clientAddress: clientAddressFrom(config.trustProxy),
    metrics,
    tracing: services.tracing,
    explorer: explorer({ keepsToken: !config.production }),
    documents: documents(config),
    web,
    readiness,
  });

  // Connections are accepted only when the service is ready, because a proxy without health checks then sends
  // requests.
  await within(QUEUE_START_MS, jobs.whenRunningOrUnreachable());
  const serve = () =>
    Bun.serve({
      hostname: config.host,
      port: config.port,
      idleTimeout: idleSeconds,
      // Disables Bun's own error page, for every value of NODE_ENV.
      development: false,
      // Outside of development, Bun lets processes share a port, so a second instance could be started by mistake.
      reusePort: false,
      // Bun's own limit of the body size is switched off: routes have their own limits, and a rejection by Bun
      // would lack the common error body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: async (request, bun) => {
        // Bodies and calls have deadlines of their own. Bun's would also end a body that arrives slowly.
        bun.timeout(request, 0);
        const response = await handle(request, bun.requestIP(request)?.address ?? "");
        // Also for streams: their heartbeats come sooner, and a connection whose stream has ended is idle again.
        bun.timeout(request, idleSeconds);
        // Closes each connection after its response, so that clients and proxies open their next connection to
        // another instance.
        if (stopping !== null) response.headers.set("connection", "close");
        return response;
      },
    });
  const server = listening("PORT", config, serve);
  const metricsServer =
    metrics &&
    listening("METRICS_PORT", { host: config.metricsHost, port: config.metricsPort ?? 0 }, () =>
      Bun.serve({
        hostname: config.metricsHost,
        port: config.metricsPort ?? 0,
        idleTimeout: idleSeconds,
        fetch: async (request) =>
          new URL(request.url).pathname === "/metrics"
            ? new Response(await metrics.text(), { headers: { "content-type": metrics.contentType } })
            : new Response(null, { status: 404 }),
      }),
    );
  log.info("listening", { url: server.url.href, metrics: metricsServer?.url.href });

  if (config.plaintext.length > 0)
    log.warn("connections without TLS; see REQUIRE_TLS and ALLOW_PLAINTEXT", {
      connections: config.plaintext,
    });

  const eventWorkers = runJobs && config.events ? startEventWorkers(services) : null;
  // These wait for the database, which may start after the service. It records whose storage this is.
  const afterStart: [work: () => Promise<unknown>, failed: (err: unknown) => void][] = [
    [
      () => checkEncryptionKeyOfSecrets(services),
      (err) => log.warn("the keys of two-factor secrets were not looked at", { err }),
    ],
    [
      () => checkDomainOfPasskeys(services),
      (err) => log.warn("the domains of passkeys were not looked at", { err }),
    ],
    [() => app.storage.check(), (err) => log.error("the storage cannot be used", { err })],
    [() => checkConnections(services), () => {}],
  ];
  for (const [work, failed] of afterStart)
    void jobs
      .whenRunning()
      .then(() => (stopping === null ? work() : undefined))
      .catch(failed);
  async function stop() {
    log.info("stopping");
    await setTimeout(config.drainSeconds * MS_PER_SECOND);
    const since = performance.now();
    // Ends all streams and waiting calls, which otherwise would not end before the shutdown times out.
    app.streams.stop(config.drainSeconds === 0 ? 0 : STREAMS_END_MS);
    feedWaitsOf(app).stop();
    const workersStopped = Promise.resolve(eventWorkers?.stop());
    await within(DRAIN_MS, server.stop());
    const stopServices = workersStopped.then(() => services.stop());
    const rest = Promise.all([changeFeed?.stop(), metricsServer?.stop(true), stopServices]);
    await within(STOP_MS - (performance.now() - since), rest);
  }
  return {
    app,
    db,
    log,
    url: server.url.href.replace(/\/$/, ""),
    metricsUrl: metricsServer ? `${metricsServer.url.href}metrics` : null,
    stop: () => (stopping ??= stop()),
  };
}

const replicaCheck = ({ replica }: Database) => replica && { replica: () => replica.check() };

function openChangeFeed(app: App, second: number) {
  const { config, log, streams, meter } = app;
  const feedWaits = feedWaitsOf(app);
  return startChangeFeed({
    url: config.database.listenUrl,
    channels: { notifications: streams.onChange, feed: () => feedWaits.wake() },
    log,
    onConnect() {
      streams.refreshAll();
      feedWaits.wake();
    },
    onLost: () => meter.count("change_feed_reconnects_total"),
    second,
  });
}

/** Waits for `work`, but at most this long: a request, a job or a database may not respond. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = globalThis.setTimeout(resolve, milliseconds);
  await Promise.race([work, tooLong]);
  clearTimeout(timer);
}
