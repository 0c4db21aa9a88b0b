import type { Hono } from "hono";
import { errorResponse } from "../core/api/error-response.ts";
import { healthRoutes } from "../core/api/health.ts";
import { inputReader } from "../core/api/input.ts";
import { keySetRoutes } from "../core/api/key-set.ts";
import { openApiDocument } from "../core/api/openapi.ts";
import type { Readiness } from "../core/api/readiness.ts";
import type { RequestBindings, RouterEnv } from "../core/api/request-context.ts";
import { Router } from "../core/api/router.ts";
import type { Service } from "../core/context.ts";
import { originOfProduct } from "../core/manifest/current.ts";
import { manifestSchema } from "../core/manifest/schema.ts";
import { appCors } from "../features/connected-apps/cors.ts";
import { mcpRoutes } from "../features/connected-apps/mcp/routes.ts";
import { metadataRoutes } from "../features/connected-apps/metadata.ts";
import { wellKnownRoutes } from "../features/passkeys/well-known.ts";
import { notFound } from "../platform/errors.ts";
import { crossOrigin } from "../platform/http/cors.ts";
import { asGet, pathOf, queryOf } from "../platform/http/target.ts";
import type { ClientAddress } from "../platform/http/trusted-proxies.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Tracing } from "../platform/tracing/tracing.ts";
import { api, developmentApi } from "./api.ts";
import { commonHeaders, cors, requestContext, requestLog, requestSpan } from "./request-middleware.ts";
import type { Web } from "./web.ts";

type Parts = {
  clientAddress: ClientAddress;
  metrics: Metrics | null;
  tracing?: Tracing | null;
  readiness: () => Promise<Readiness>;
  /** The page of the API explorer at /api/docs. */
  explorer: Hono<RouterEnv>;
  /** The documents for agents, on runtimes that have their files. */
  documents?: Hono<RouterEnv>;
  /** The console; undefined if this instance does not serve it. */
  web?: Web | null;
  /** The routes; by default those of the service. */
  routes?: Hono<RouterEnv>;
};

/**
 * Handles a request. `own` contains the request's own database and readiness, for runtimes in which requests cannot
 * share connections.
 */
export type Handler = (request: Request, socketAddress: string, own?: OwnParts) => Promise<Response>;
type OwnParts = Omit<RequestBindings, "socketAddress" | "received">;

/**
 * Builds the service as one function from request to response. It uses only web standards; `service` and `parts`
 * contain what depends on the runtime.
 */
export function createHandler(service: Service, parts: Parts): Handler {
  const { config } = service.app;
  const crossOrigins = crossOrigin([...config.corsOrigins, ...originOfProduct(config.appUrl)]);
  const ofRole = config.role === "worker" ? healthRoutes : config.production ? api : developmentApi;
  const routes = parts.routes ?? ofRole;
  const router = new Router("", { getPath: pathOf });
  router.use(requestContext(service, parts), requestLog(service.log, parts.metrics));
  if (parts.tracing) router.use(requestSpan(parts.tracing));
  router.use(commonHeaders(config.production));
  if (crossOrigins) router.use(cors(crossOrigins));
  router.route("/", appCors).route("/", routes);
  if (config.role !== "worker") {
    router.route("/", wellKnownRoutes).route("/", keySetRoutes).route("/", metadataRoutes);
    router.route(
      "/",
      mcpRoutes((...call) => router.fetch(...call), routes),
    );
    addDocument();
  }
  router.notFound(async (c) => {
    const page = c.req.method === "GET" ? await parts.web?.respond(c.req.raw) : null;
    if (page) c.get("request").route = "console";
    return page ?? errorResponse(notFound(), c);
  });
  router.onError((error, c) => errorResponse(error, c));

  function addDocument() {
    // The OpenAPI document is built from the served routes on the first request for it, because building takes
    // long.
    let document: string | null = null;
    const readNothing = inputReader({}, { filterHeaders: false });
    router.get("/api/docs-json", (c) => {
      c.get("request").route = "/api/docs-json";
      const { url, headers } = c.req.raw;
      readNothing({ params: {}, query: queryOf(url), body: undefined, headers });
      document ??= JSON.stringify(openApiDocument(routes, config));
      return c.body(document, 200, { "content-type": "application/json" });
    });
    let schema: string | null = null;
    router.get("/api/docs/product.schema.json", (c) => {
      c.get("request").route = "/api/docs/product.schema.json";
      schema ??= JSON.stringify(manifestSchema());
      return c.body(schema, 200, {
        "content-type": "application/json",
        "cache-control": "public, max-age=300",
      });
    });
    router.route("/api/docs", parts.explorer);
    if (parts.documents) router.route("/", parts.documents);
  }

  return async (request, socketAddress, own) =>
    router.fetch(request.method === "HEAD" ? asGet(request) : request, {
      socketAddress,
      received: request,
      ...own,
    });
}
