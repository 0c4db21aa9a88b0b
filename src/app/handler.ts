import type { Hono } from "hono";
import { errorResponse } from "../core/api/error-response.ts";
import { healthRoutes } from "../core/api/health.ts";
import { inputReader } from "../core/api/input.ts";
import { openApiDocument } from "../core/api/openapi.ts";
import type { Readiness } from "../core/api/readiness.ts";
import { type RequestContext, Router, type RouterEnv } from "../core/api/router.ts";
import type { Service } from "../core/context.ts";
import { notFound } from "../platform/errors.ts";
import type { ClientAddress } from "../platform/http/client-address.ts";
import { crossOrigin } from "../platform/http/cors.ts";
import { requestIdFrom, securityHeaders, traceIdFrom } from "../platform/http/headers.ts";
import { asGet, loggableUrl, pathOf, queryOf } from "../platform/http/target.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Tracing } from "../platform/tracing/tracing.ts";
import { api, developmentApi } from "./api.ts";
import type { Web } from "./web.ts";

type Parts = {
  clientAddress: ClientAddress;
  metrics: Metrics | null;
  tracing?: Tracing | null;
  readiness: () => Promise<Readiness>;
  /** The page at /api/docs. */
  explorer: Hono<RouterEnv>;
  /** The console; missing if it is not served. */
  web?: Web | null;
  /** The routes; by default those of the service. */
  routes?: Hono<RouterEnv>;
};

/**
 * Handles a request. `own` has the database and the readiness of this request, for runtimes in which requests cannot
 * share connections.
 */
export type Handler = (request: Request, socketAddress: string, own?: OwnParts) => Promise<Response>;
type OwnParts = Partial<Pick<RequestContext, "db" | "readiness">>;

/**
 * Builds the service as one function from request to response. It uses only web standards; what depends on the runtime
 * is passed in by `app` and `parts`.
 */
export function createHandler({ app, db }: Service, parts: Parts): Handler {
  const { config, log } = app;
  const crossOrigins = crossOrigin(config.corsOrigins);
  const shared = Object.entries(securityHeaders(config.production));
  const ofRole = config.role === "worker" ? healthRoutes : config.production ? api : developmentApi;
  const routes = parts.routes ?? ofRole;
  const router = new Router({ getPath: pathOf }).route("/", routes);

  if (config.role !== "worker") addDocument();
  router.notFound(async (c) => {
    const page = c.req.method === "GET" ? await parts.web?.respond(c.req.raw) : null;
    if (page) c.env.route = "console";
    return page ?? errorResponse(notFound(), c);
  });
  router.onError((error, c) => errorResponse(error, c));

  function addDocument() {
    // The document is built from the served routes, on the first request for it, because building takes long.
    let document: string | null = null;
    const readNothing = inputReader({}, { filterHeaders: false });
    router.get("/api/docs-json", (c) => {
      c.env.route = "/api/docs-json";
      const { url, headers } = c.req.raw;
      readNothing({ params: {}, query: queryOf(url), body: undefined, headers });
      document ??= JSON.stringify(openApiDocument(routes));
      return c.body(document, 200, { "content-type": "application/json" });
    });
    router.route("/api/docs", parts.explorer);
  }

  async function respond(request: Request, context: RequestContext) {
    const routed = request.method === "HEAD" ? asGet(request) : request;
    const response = crossOrigins?.preflight(request) ?? (await router.fetch(routed, context));
    complete(response, shared, context.requestId);
    crossOrigins?.allow(request, response);
    return response;
  }
  const respondInSpan = parts.tracing?.requests(respond) ?? respond;

  return async (request, socketAddress, own) => {
    const started = performance.now();
    const context: RequestContext = {
      app,
      db,
      requestId: requestIdFrom(request.headers),
      ip: parts.clientAddress(socketAddress, request.headers),
      readiness: parts.readiness,
      route: null,
      userId: null,
      code: undefined,
      traceId: traceIdFrom(request.headers),
      ...own,
    };
    const response = await respondInSpan(request, context);
    const milliseconds = performance.now() - started;
    parts.metrics?.observeRequest(
      request.method,
      context.route ?? "unmatched",
      response.status,
      milliseconds / 1000,
    );
    if (log.isEnabled("info")) {
      log.info("request", {
        requestId: context.requestId,
        method: request.method,
        url: loggableUrl(request.url),
        route: context.route,
        status: response.status,
        code: context.code,
        ms: Math.round(milliseconds * 100) / 100,
        ip: context.ip,
        userId: context.userId,
        traceId: context.traceId,
      });
    }
    return response;
  };
}

/** Adds the common headers to a response, unless it sets its own values. */
function complete({ headers }: Response, shared: [name: string, value: string][], requestId: string): void {
  for (const [name, value] of shared) if (!OWN.has(name) || !headers.has(name)) headers.set(name, value);
  headers.set("x-request-id", requestId);
}

/** Headers specific to some responses: streams and files, the explorer. */
const OWN: ReadonlySet<string> = new Set(["cache-control", "content-security-policy"]);
