import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { accountEndpoints } from "./accounts/routes.ts";
import type { App } from "./context.ts";
import type { ClientAddress } from "./http/client-address.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { notFound } from "./http/errors.ts";
import { requestIdFrom, securityHeaders } from "./http/headers.ts";
import { loggableUrl } from "./http/log.ts";
import type { Metrics } from "./http/metrics.ts";
import { openApiDocument, registerSecuritySchemes } from "./http/openapi.ts";
import { responder } from "./http/respond.ts";
import { type HttpEnv, mount, type RequestState } from "./http/router.ts";
import { profileEndpoints } from "./profile/routes.ts";
import { sessionEndpoints } from "./sessions/routes.ts";

/** The features, in the order in which the document shows them. */
export const featureEndpoints: Endpoint[] = [...sessionEndpoints, ...accountEndpoints, ...profileEndpoints];

type Parts = {
  clientAddress: ClientAddress;
  metrics: Metrics | null;
  /** Endpoints beside the features, such as health. */
  endpoints: Endpoint[];
  /** The page at /api/docs. */
  explorer: OpenAPIHono<HttpEnv> | import("hono").Hono<HttpEnv>;
};

/**
 * Puts the routers together and gives back one function from request to answer. It only knows web standards;
 * what needs a runtime comes in through `app` and `parts`.
 */
export function createApp(
  app: App,
  parts: Parts,
): (request: Request, socketAddress: string) => Promise<Response> {
  const { config, log } = app;
  const respond = responder(securityHeaders(config.production), log);
  const hono = new OpenAPIHono<HttpEnv>();

  if (config.corsOrigins.length > 0) {
    hono.use(
      cors({
        origin: config.corsOrigins,
        credentials: true,
        allowMethods: ["GET", "POST", "PATCH", "DELETE"],
        allowHeaders: [
          "Authorization",
          "Content-Type",
          "X-Organization-Id",
          "X-Filter-Unit",
          "X-Filter-Member",
          "X-Request-Id",
        ],
        exposeHeaders: ["X-Request-Id", "Retry-After", "Content-Disposition"],
        maxAge: 600,
      }),
    );
  }
  registerSecuritySchemes(hono);
  mount(hono, app, respond, [...featureEndpoints, ...parts.endpoints]);

  const document = JSON.stringify(openApiDocument(hono));
  hono.get("/api/docs-json", (c) => c.body(document, 200, { "content-type": "application/json" }));
  hono.route("/api/docs", parts.explorer);
  hono.notFound((c) => respond.withError(notFound(), c.env.requestId));
  hono.onError((error, c) => respond.withError(error, c.env.requestId));

  return async (request, socketAddress) => {
    const started = performance.now();
    const state: RequestState = {
      requestId: requestIdFrom(request.headers),
      ip: parts.clientAddress(socketAddress, request.headers),
      route: null,
      userId: null,
    };
    const response = respond.complete(await hono.fetch(request, state), state.requestId);
    const milliseconds = performance.now() - started;
    parts.metrics?.observe(request.method, state.route ?? "unmatched", response.status, milliseconds / 1000);
    if (log.isLevelEnabled("info")) {
      log.info({
        requestId: state.requestId,
        method: request.method,
        url: loggableUrl(request.url),
        status: response.status,
        ms: Math.round(milliseconds * 100) / 100,
        ip: state.ip,
        userId: state.userId,
      });
    }
    return response;
  };
}
