import { Hono } from "hono";
import { createReadiness } from "../core/api/readiness.ts";
import type { Config } from "../core/config.ts";
import type { App } from "../core/context.ts";
import { connect, type Database, maxTransaction } from "../platform/db/connection.ts";
import { sharedPool } from "../platform/db/drivers/pg.ts";
import { internalError } from "../platform/errors.ts";
import { clientAddressFrom } from "../platform/http/trusted-proxies.ts";
import { CHECK_QUEUE } from "../platform/jobs/pgboss-tables.ts";
import type { Fetch } from "../platform/tracing/tracing.ts";
import { readConfig } from "./config.ts";
import { createHandler } from "./handler.ts";
import { edgeRuntime } from "./runtimes/edge.ts";
import { startServices } from "./services.ts";

/**
 * The environment that an edge platform passes with each request: variables and secrets as text, and bindings to
 * its services.
 */
type Bindings = Readonly<Record<string, unknown>>;
/** Keeps a request running until the promise settles, after its response and after its client has disconnected. */
type Lifetime = { waitUntil(work: Promise<unknown>): void };

/**
 * The maximum number of database connections of one request. Most requests use one or two: for a transaction, and
 * for other reads.
 */
const MAX_CONNECTIONS = 4;

/**
 * Creates the service for platforms with web standards, TCP and the modules of Node.js, but without Bun. There,
 * connections and timers belong to one request. So each request opens and closes its own connections; Hyperdrive
 * makes that cheap. Nothing is started before the first request, because connections and timers are not allowed
 * then.
 * @param argon2 the compiled WebAssembly of the `argon2id` package
 */
export function createEdge(argon2: WebAssembly.Module) {
  let starting: ReturnType<typeof start> | null = null;
  return {
    async fetch(request: Request, bindings: Bindings, lifetime?: Lifetime): Promise<Response> {
      starting ??= start(argon2, bindings).catch((err) => {
        console.error(JSON.stringify({ level: "fatal", msg: String(err) }));
        return misconfigured;
      });
      return (await starting)(request, lifetime);
    },
  };
}

async function misconfigured(): Promise<Response> {
  const { status, code, message } = internalError();
  const requestId = crypto.randomUUID();
  return Response.json({ statusCode: status, code, message, requestId }, { status });
}

async function start(argon2: WebAssembly.Module, bindings: Bindings) {
  const { config, isPooled } = configFrom(bindings);
  const runtime = edgeRuntime(argon2, () => connectionsOf(config, isPooled), publicFetch(bindings));
  const services = await startServices(config, runtime, { runJobs: false });
  const handle = createHandler(services, {
    clientAddress: clientAddressFrom(config.trustProxy),
    metrics: null,
    explorer: new Hono(),
    readiness: () => Promise.reject(new Error("Readiness belongs to a request")),
  });

  return async (request: Request, lifetime?: Lifetime): Promise<Response> => {
    const db = connectionsOf(config, isPooled);
    const handled = handle(request, peerOf(request), {
      db,
      readiness: readinessOf(services.app, db),
    }).then(withEnd);
    const work = handled
      .then(({ ended }) => ended)
      .catch(() => {})
      .then(() => db.close());
    // The request is kept running. Otherwise a client that disconnects would abort it, and its connections and
    // permits would never be released.
    lifetime?.waitUntil(work);
    return (await handled).response;
  };
}

function configFrom(bindings: Bindings): { config: Config; isPooled: boolean } {
  const texts = Object.entries(bindings).filter(
    (binding): binding is [string, string] => typeof binding[1] === "string",
  );
  const { HYPERDRIVE: hyperdrive } = bindings as { HYPERDRIVE?: { connectionString: string } };
  const environment = Object.fromEntries(texts);
  if (hyperdrive !== undefined) environment.DATABASE_URL = hyperdrive.connectionString;
  const { config, problems } = readConfig(environment);
  if (config === null) throw new Error(`The configuration is wrong: ${problems.join("; ")}`);
  // Addresses are not looked up here, so networks of the operator cannot be told from others.
  const withoutNetworks = { ...config, oauthDocumentNetworks: [] };
  return {
    config: withoutNetworks,
    isPooled: hyperdrive !== undefined || config.database.listenUrl !== config.database.url,
  };
}

/** Returns the `fetch` of the binding `PUBLIC`, which is there if the platform can reach private addresses, too. */
function publicFetch({ PUBLIC: service }: { PUBLIC?: { fetch: Fetch } } & Bindings): Fetch {
  return service === undefined ? fetch : (input, options) => service.fetch(input, options);
}

/** Returns the connections of one request, which are opened on first use. */
function connectionsOf({ database: { url } }: Config, isPooled: boolean): Database {
  const settings = {
    application_name: "edge",
    TimeZone: "UTC",
    ...(!isPooled && { transaction_timeout: maxTransaction() }),
  };
  const driver = sharedPool({ url, size: MAX_CONNECTIONS, settings });
  return connect({ url, listenUrl: url, poolSize: MAX_CONNECTIONS, applicationName: "edge", driver });
}

const readinessOf = (app: App, db: Database) =>
  createReadiness(
    {
      database: async () => (await db.query("SELECT 1", [])).length === 1,
      jobs: async () => (await db.query(CHECK_QUEUE, [])).length === 1,
      changeFeed: () => true,
      storage: () => app.storage.check(),
    },
    app,
  );

/**
 * Returns the peer's IP address. Cloudflare, the only platform that sets `cf`, passes it in a header that clients
 * cannot set. On other platforms `TRUST_PROXY` decides which addresses are trusted.
 */
const peerOf = (request: Request) =>
  ("cf" in request && request.cf ? request.headers.get("cf-connecting-ip") : null) ?? "127.0.0.1";

/**
 * Wraps a response. Also returns a promise for the end of its body, because a streamed body may read from the
 * database until then.
 */
function withEnd(response: Response): { response: Response; ended: Promise<void> } {
  const isWhole = response.headers.get("content-type")?.startsWith("application/json") ?? true;
  if (response.body === null || isWhole) return { response, ended: Promise.resolve() };
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  return { response: new Response(readable, response), ended: response.body.pipeTo(writable) };
}
