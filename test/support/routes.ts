import { afterAll } from "bun:test";
import type { Hono } from "hono";
import { api, developmentApi } from "../../src/app/api.ts";
import { createHandler } from "../../src/app/handler.ts";
import { explorer } from "../../src/core/api/explorer.ts";
import type { RouterEnv } from "../../src/core/api/request-context.ts";
import type { RouteDefinition } from "../../src/core/api/route.ts";
import { definitionsOf, type MountedRoute, Router } from "../../src/core/api/router.ts";
import type { Service } from "../../src/core/context.ts";
import { clientAddressFrom } from "../../src/platform/http/trusted-proxies.ts";

/** The routes of all features in development. */
export const definitions: MountedRoute[] = definitionsOf(developmentApi).filter(
  ({ tags: [tag] }) => tag !== "health",
);

/** Returns the schema of a JSON response, or undefined. */
export const schemaOf = (response: RouteDefinition["responses"][number] | undefined) =>
  (response?.content?.["application/json"] as { schema: import("zod").ZodType } | undefined)?.schema;

/**
 * Serves routes that exist only in a test next to those of the service, with the complete request processing; returns
 * the URL. For rules of which no feature has every variant.
 */
export function serveRoutes(
  service: Service,
  router: object,
  { trustProxy = null }: { trustProxy?: string | null } = {},
): string {
  const handle = createHandler(service, {
    clientAddress: clientAddressFrom(trustProxy),
    metrics: null,
    explorer: explorer(),
    readiness: () => Promise.reject(new Error("Nobody asks")),
    routes: new Router().route("/", api).route("/", router as Hono<RouterEnv>),
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, bun) => handle(request, bun.requestIP(request)?.address ?? ""),
  });
  afterAll(() => server.stop(true));
  return server.url.href.replace(/\/$/, "");
}
