import { afterAll } from "bun:test";
import { createApp } from "../../src/app/api.ts";
import type { Endpoint } from "../../src/core/api/endpoint.ts";
import { explorer } from "../../src/core/api/explorer.ts";
import type { App } from "../../src/core/context.ts";
import { clientAddressFrom } from "../../src/platform/http/client-address.ts";

/**
 * Serves endpoints that only a test has, beside the service's own, behind everything that any request passes
 * through; answers the address. For rules that no feature shows in every variant.
 */
export function serveEndpoints(
  app: App,
  endpoints: Endpoint[],
  { trustProxy = null }: { trustProxy?: string | null } = {},
): string {
  const parts = {
    clientAddress: clientAddressFrom(trustProxy),
    metrics: null,
    explorer: explorer(),
    endpoints,
  };
  const handle = createApp(app, parts);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, bun) => handle(request, bun.requestIP(request)?.address ?? ""),
  });
  afterAll(() => server.stop(true));
  return server.url.href.replace(/\/$/, "");
}
