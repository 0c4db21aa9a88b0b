import { createMiddleware } from "hono/factory";
import type { Readiness } from "../core/api/readiness.ts";
import type { RequestContext, RouterEnv } from "../core/api/request-context.ts";
import type { Service } from "../core/context.ts";
import { hasOwnCors } from "../features/connected-apps/cors.ts";
import type { CrossOrigin } from "../platform/http/cors.ts";
import { requestIdFrom, securityHeaders, traceIdFrom, userAgentFrom } from "../platform/http/headers.ts";
import { loggableUrl } from "../platform/http/loggable-url.ts";
import { pathOf } from "../platform/http/target.ts";
import type { ClientAddress } from "../platform/http/trusted-proxies.ts";
import type { Logger } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Tracing } from "../platform/tracing/tracing.ts";

/** Sets `c.var.request`, which all later handlers read. */
export const requestContext = (
  { app, db }: Service,
  { clientAddress, readiness }: { clientAddress: ClientAddress; readiness: () => Promise<Readiness> },
) =>
  createMiddleware<RouterEnv>((c, next) => {
    const { socketAddress, received, context } = c.env;
    const { headers } = received;
    c.set(
      "request",
      context ?? {
        app,
        db: c.env.db ?? db,
        requestId: requestIdFrom(headers),
        ip: clientAddress(socketAddress, headers),
        userAgent: userAgentFrom(headers),
        readiness: c.env.readiness ?? readiness,
        route: null,
        userId: null,
        code: undefined,
        traceId: traceIdFrom(headers),
      },
    );
    return next();
  });

/** Logs each request and records it in the metrics; not those that the service makes itself, which belong to another one. */
export const requestLog = (log: Logger, metrics: Metrics | null) =>
  createMiddleware<RouterEnv>(async (c, next) => {
    if (c.env.context !== undefined) return next();
    const started = performance.now();
    await next();
    const milliseconds = performance.now() - started;
    const { method, url } = c.env.received;
    const context = c.get("request");
    const { status } = c.res;
    if (context.isProduct)
      context.app.meter.count("product_requests_total", {
        route: context.route ?? "unmatched",
        status: String(status),
      });
    metrics?.observeRequest(method, context.route ?? "unmatched", status, milliseconds / 1000);
    if (!log.isEnabled("info")) return;
    log.info("request", {
      requestId: context.requestId,
      method,
      url: loggableUrl(url),
      route: context.route,
      status,
      code: context.code,
      ms: Math.round(milliseconds * 100) / 100,
      ip: context.ip,
      userId: context.userId,
      serviceAccountId: context.serviceAccountId,
      apiKeyId: context.apiKeyId,
      grantId: context.grantId,
      tool: context.tool,
      operation: context.operation,
      isProduct: context.isProduct,
      traceId: context.traceId,
    });
  });

/** Runs each request in a span. */
export const requestSpan = (tracing: Tracing) =>
  createMiddleware<RouterEnv>(async (c, next) => {
    if (c.env.context !== undefined) return next();
    const respond = async () => {
      await next();
      return c.res;
    };
    await tracing.requests<RequestContext>(respond)(c.env.received, c.get("request"));
  });

/** Adds the common headers to a response. A header that the response sets itself is kept. */
export function commonHeaders(production: boolean) {
  const shared = Object.entries(securityHeaders(production));
  return createMiddleware<RouterEnv>(async (c, next) => {
    await next();
    const { headers } = c.res;
    for (const [name, value] of shared) if (!OWN.has(name) || !headers.has(name)) headers.set(name, value);
    const { requestId, rateLimit } = c.get("request");
    headers.set("x-request-id", requestId);
    if (rateLimit !== undefined) {
      headers.set("ratelimit-policy", rateLimit.policy);
      headers.set("ratelimit", rateLimit.state);
    }
  });
}

/** Headers that only some responses set: streams and files, the explorer. */
const OWN: ReadonlySet<string> = new Set(["cache-control", "content-security-policy"]);

/** Responds to preflight requests and adds the CORS headers (rules 1.10). */
export const cors = (origins: CrossOrigin) =>
  createMiddleware<RouterEnv>(async (c, next) => {
    const { received } = c.env;
    // The product's own routes are called by its servers, never by a browser (rules 36.5).
    const path = pathOf(received);
    if (path.startsWith("/api/product/") || hasOwnCors(path)) return next();
    const preflight = origins.preflight(received);
    if (preflight === null) await next();
    else c.res = preflight;
    origins.allow(received, c.res);
  });
