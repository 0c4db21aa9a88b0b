import type { Config } from "#kit";
import { isLoopback } from "#kit/inside";

const EXPOSED = "WWW-Authenticate, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
const REQUEST_HEADERS =
  "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-Id";
const PREFLIGHT_SECONDS = "600";

type Settings = Pick<Config, "appUrl" | "apiUrl" | "corsOrigins" | "mcpOrigins" | "production">;

/**
 * Whether pages of an origin may call `/mcp`: a page that a person visits must not call a service that only their browser
 * reaches. Callers that are no browsers send no origin.
 */
export function isAllowedOrigin(origin: string | null, config: Settings): boolean {
  if (origin === null) return true;
  const { appUrl, apiUrl, corsOrigins, mcpOrigins, production } = config;
  const listed = [new URL(appUrl).origin, new URL(apiUrl).origin, ...corsOrigins, ...mcpOrigins];
  if (listed.includes(origin)) return true;
  const url = production ? null : URL.parse(origin);
  return url !== null && ["http:", "https:"].includes(url.protocol) && isLoopback(url.hostname);
}

/** Adds the CORS headers for an allowed origin, without credentials. */
export function allowOrigin(origin: string | null, { headers }: Response): void {
  headers.append("vary", "Origin");
  if (origin === null) return;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", EXPOSED);
}

export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      allow: "POST",
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": REQUEST_HEADERS,
      "access-control-max-age": PREFLIGHT_SECONDS,
    },
  });
