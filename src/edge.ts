import { Hono } from "hono";
import { readConfig } from "./app/config.ts";
import { createHandler } from "./app/handler.ts";
import { edgeRuntime } from "./app/runtimes/edge.ts";
import { startServices } from "./app/services.ts";
import { createReadiness } from "./core/api/readiness.ts";
import { clientAddressFrom } from "./platform/http/client-address.ts";

/**
 * The service for a platform that has web standards, TCP and the modules of Node.js, but not Bun. It sends jobs and
 * leaves doing them to instances on Bun, to which belong also notification streams, the explorer, and files unless
 * they lie in S3. `TRUST_PROXY` says how clients' addresses are found.
 */
export async function startEdge(environment: Record<string, string | undefined>) {
  const { config, problems } = readConfig(environment);
  if (config === null) throw new Error(`The configuration is wrong: ${problems.join("; ")}`);
  const { app, stop } = await startServices(config, edgeRuntime, { runJobs: false });
  const readiness = createReadiness(
    {
      database: async () => (await app.db.query("SELECT 1", [])).length === 1,
      jobs: () => app.jobs.isReachable(),
      changeFeed: () => true,
      storage: () => app.storage.check(),
    },
    app,
  );
  const handle = createHandler(app, {
    clientAddress: clientAddressFrom(config.trustProxy),
    metrics: null,
    explorer: new Hono(),
    readiness,
  });
  await app.jobs.untilRunning();
  return { fetch: (request: Request) => handle(request, "127.0.0.1"), stop };
}

let edge: ReturnType<typeof startEdge> | null = null;

export default {
  /** Starts with the first request: before it, platforms allow no connections. */
  async fetch(request: Request): Promise<Response> {
    edge ??= startEdge(process.env);
    return (await edge).fetch(request);
  },
};
