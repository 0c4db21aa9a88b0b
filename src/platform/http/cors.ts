const METHODS = "GET, POST, PATCH, DELETE";
const REQUEST_HEADERS =
  "Authorization, Content-Type, X-Organization-Id, X-Filter-Unit, X-Filter-Member, X-Request-Id, Idempotency-Key";
const EXPOSED_HEADERS =
  "X-Request-Id, Retry-After, Content-Disposition, Idempotent-Replayed, RateLimit, RateLimit-Policy";
const PREFLIGHT_LIFETIME_SECONDS = "600";

/** CORS (rules 1.10). An origin that is not configured gets no CORS header. */
export interface CrossOrigin {
  /** Returns the response to the preflight request of a configured origin; null for any other request. */
  preflight(request: Request): Response | null;
  /** Adds the CORS headers for a configured origin to a response. */
  allow(request: Request, response: Response): void;
}

/** Creates the CORS handling. Returns null if no origins are configured; then no CORS header is sent. */
export function crossOrigin(origins: string[]): CrossOrigin | null {
  if (origins.length === 0) return null;
  const listed = new Set(origins);
  const isListed = (origin: string | null): origin is string => origin !== null && listed.has(origin);

  return {
    preflight({ method, headers }) {
      if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return null;
      if (!isListed(headers.get("origin"))) return null;
      return new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": METHODS,
          "access-control-allow-headers": REQUEST_HEADERS,
          "access-control-max-age": PREFLIGHT_LIFETIME_SECONDS,
        },
      });
    },
    allow(request, response) {
      const { headers } = response;
      // A response for any origin is the same for all of them.
      if (headers.get("access-control-allow-origin") === "*") return;
      // `Vary` makes caches store responses for different origins separately, including responses to requests
      // without an origin.
      headers.append("vary", "Origin");
      const origin = request.headers.get("origin");
      if (!isListed(origin)) return;
      headers.set("access-control-allow-origin", origin);
      headers.set("access-control-allow-credentials", "true");
      headers.set("access-control-expose-headers", EXPOSED_HEADERS);
    },
  };
}
