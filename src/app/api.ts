import { Hono } from "hono";
import type { Endpoint } from "../core/api/endpoint.ts";
import { inputReader } from "../core/api/input.ts";
import { openApiDocument } from "../core/api/openapi.ts";
import { responder } from "../core/api/respond.ts";
import { type HttpEnv, mount, type RequestState } from "../core/api/router.ts";
import type { App } from "../core/context.ts";
import { accountEndpoints } from "../features/accounts/routes.ts";
import { auditEndpoints } from "../features/audit/routes.ts";
import { billingEndpoints } from "../features/billing/routes.ts";
import { organizationHelpdeskEndpoints } from "../features/helpdesk/organization-routes.ts";
import { platformHelpdeskEndpoints } from "../features/helpdesk/platform-routes.ts";
import { supportEndpoints } from "../features/helpdesk/support-routes.ts";
import { identityEndpoints } from "../features/identities/routes.ts";
import { invitationEndpoints } from "../features/invitations/routes.ts";
import { memberEndpoints } from "../features/members/routes.ts";
import { notificationEndpoints } from "../features/notifications/routes.ts";
import { organizationEndpoints } from "../features/organizations/routes.ts";
import { profileEndpoints } from "../features/profile/routes.ts";
import { roleEndpoints } from "../features/roles/routes.ts";
import { sessionEndpoints } from "../features/sessions/routes.ts";
import { todoEndpoints } from "../features/todos/routes.ts";
import { twoFactorEndpoints } from "../features/two-factor/routes.ts";
import { unitEndpoints } from "../features/units/routes.ts";
import { userEndpoints } from "../features/users/routes.ts";
import { notFound } from "../platform/errors.ts";
import type { ClientAddress } from "../platform/http/client-address.ts";
import { crossOrigin } from "../platform/http/cors.ts";
import { requestIdFrom, securityHeaders } from "../platform/http/headers.ts";
import { asGet, loggableUrl, pathOf, queryOf } from "../platform/http/target.ts";
import type { Metrics } from "../platform/metrics.ts";

/** The features, in the order in which the document shows them. */
export const featureEndpoints: Endpoint[] = [
  ...sessionEndpoints,
  ...accountEndpoints,
  ...twoFactorEndpoints,
  ...identityEndpoints,
  ...profileEndpoints,
  ...notificationEndpoints,
  ...organizationEndpoints,
  ...unitEndpoints,
  ...roleEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...todoEndpoints,
  ...auditEndpoints,
  ...billingEndpoints,
  ...supportEndpoints,
  ...organizationHelpdeskEndpoints,
  ...platformHelpdeskEndpoints,
  ...userEndpoints,
];

type Parts = {
  clientAddress: ClientAddress;
  metrics: Metrics | null;
  /** Endpoints beside the features, such as health. */
  endpoints: Endpoint[];
  /** The page at /api/docs. */
  explorer: Hono<HttpEnv>;
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
  const crossOrigins = crossOrigin(config.corsOrigins);
  const hono = new Hono<HttpEnv>({ getPath: pathOf });

  const endpoints = [...featureEndpoints, ...parts.endpoints].filter(
    ({ definition }) => !(config.production && definition.developmentOnly),
  );
  mount(hono, app, respond, endpoints);

  // What is served and what is documented is the same list. Made when it is first asked for, as it takes long.
  let document: string | null = null;
  const readNothing = inputReader({}, { filterHeaders: false });
  hono.get("/api/docs-json", (c) => {
    const { url, headers } = c.req.raw;
    readNothing({ params: {}, query: queryOf(url), body: undefined, headers });
    document ??= JSON.stringify(openApiDocument(endpoints));
    return c.body(document, 200, { "content-type": "application/json" });
  });
  hono.route("/api/docs", parts.explorer);
  hono.notFound((c) => respond.withError(notFound(), c.env));
  hono.onError((error, c) => respond.withError(error, c.env));

  return async (request, socketAddress) => {
    const started = performance.now();
    const state: RequestState = {
      requestId: requestIdFrom(request.headers),
      ip: parts.clientAddress(socketAddress, request.headers),
      route: null,
      userId: null,
      isComplete: false,
    };
    let response: Response;
    try {
      const routed = request.method === "HEAD" ? asGet(request) : request;
      const answer = crossOrigins?.preflight(request) ?? (await hono.fetch(routed, state));
      response = respond.complete(answer, state);
    } catch (error) {
      response = respond.withError(error, state);
    }
    crossOrigins?.allow(request, response);
    const milliseconds = performance.now() - started;
    parts.metrics?.observe(request.method, state.route ?? "unmatched", response.status, milliseconds / 1000);
    if (log.isEnabled("info")) {
      log.info("request", {
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
