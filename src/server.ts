import type { Server } from "bun";
import * as health from "#sql/health";
import { createApp } from "./app.ts";
import { type Config, readConfig } from "./config.ts";
import type { App } from "./context.ts";
import { startChangeFeed } from "./db/change-feed.ts";
import { newestMigration } from "./db/migrations.ts";
import { clientAddressFrom } from "./http/client-address.ts";
import { explorer } from "./http/explorer.ts";
import { healthEndpoints } from "./http/health.ts";
import { createMetrics } from "./http/metrics.ts";
import { startServices } from "./services.ts";
import { storageCheck } from "./storage/check.ts";

/** A service that is up. */
export interface Running {
  app: App;
  url: string;
  metricsUrl: string | null;
  /** Ends within 10 s: no new requests, those in flight finish, then jobs and connections. */
  stop(): Promise<void>;
}

const DRAIN_MS = 8_000;

/** Starts everything that one instance is made of. `runJobs: false` leaves the jobs to others. */
export async function startServer(config: Config, options: { runJobs?: boolean } = {}): Promise<Running> {
  const services = await startServices(config, options);
  const { app } = services;
  const { log, db, jobs } = app;
  const changeFeed = startChangeFeed({
    url: config.database.listenUrl,
    channel: "notifications",
    log,
    onPayload: () => {},
    onReconnect: () => {},
  });

  const metrics = config.metricsPort === null ? null : createMetrics();
  const newest = newestMigration();
  const handle = createApp(app, {
    clientAddress: clientAddressFrom(config.trustProxy),
    metrics,
    explorer: explorer(),
    endpoints: healthEndpoints({
      database: async () => (await health.findMigration.run({ name: newest }, db)).length === 1,
      jobs: () => jobs.isRunning(),
      changeFeed: () => changeFeed.isConnected(),
      storage: storageCheck(config),
    }),
  });

  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    idleTimeout: 30,
    // Limits are the routes' own: Bun's refusal would not have the shape of an error.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, bun) => handle(request, bun.requestIP(request)?.address ?? ""),
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
  log.info({ url: server.url.href, metrics: metricsServer?.url.href }, "listening");

  let stopping: Promise<void> | null = null;
  async function stop() {
    log.info("stopping");
    await drain(server);
    await Promise.all([changeFeed.stop(), metricsServer?.stop(true)]);
    await services.stop();
  }
  return {
    app,
    url: server.url.href.replace(/\/$/, ""),
    metricsUrl: metricsServer ? `${metricsServer.url.href}metrics` : null,
    stop: () => (stopping ??= stop()),
  };
}

/** Lets requests in flight finish, but not for ever. */
async function drain(server: Server<undefined>): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, DRAIN_MS);
  await Promise.race([server.stop(), tooLong]);
  clearTimeout(timer);
}

if (import.meta.main) {
  const { config, problems } = readConfig(process.env);
  if (config === null) {
    console.error(
      `The service cannot start, its configuration is wrong:\n${problems.map((line) => `  ${line}`).join("\n")}`,
    );
    process.exit(1);
  }
  const running = await startServer(config);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => void running.stop().then(() => process.exit(0)));
  }
}
