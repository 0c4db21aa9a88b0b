import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type AuthenticatedCall, memoizePerApp } from "#kit";
import { viewerOf } from "../../core/access/access.ts";

const SECONDS = 60;
const MAX_RESPONSES = 500;

/** The headers of a cached response. A browser must not reuse it for another account or organization. */
export const CACHED = {
  "cache-control": `private, max-age=${SECONDS}`,
  vary: "Authorization, X-Organization-Id, X-Filter-Unit",
};

const cacheOf = memoizePerApp(
  () => new LRUCache<string, object>({ max: MAX_RESPONSES, ttl: SECONDS * 1_000 }),
);

/**
 * Returns the cached response if the same caller, with the same permissions, sent the same request within the last
 * minute; otherwise computes the response.
 * @param request the route, and everything of the request on which the response depends
 */
export async function cachedResponse<Body extends object>(
  { app, actor }: AuthenticatedCall,
  request: unknown[],
  compute: () => Promise<Body>,
): Promise<Body> {
  const { organization, permissions, unitGrants } = actor.claims;
  const parts = [viewerOf(actor), organization?.id, permissions, unitGrants, ...request];
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("base64");
  const cache = cacheOf(app);
  const known = cache.get(key);
  if (known !== undefined) return known as Body;
  const body = await compute();
  cache.set(key, body);
  return body;
}
