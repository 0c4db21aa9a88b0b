import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { AuthenticatedCall } from "../../core/context.ts";
import { memoizePerApp } from "../../core/memoize-per-app.ts";

const SECONDS = 60;
const MAX_ANSWERS = 500;

/** The headers of a cached response. Browsers must not show it to another account, or for another organization. */
export const CACHED = {
  "cache-control": `private, max-age=${SECONDS}`,
  vary: "Authorization, X-Organization-Id, X-Filter-Unit",
};

const answersOf = memoizePerApp(
  () => new LRUCache<string, object>({ max: MAX_ANSWERS, ttl: SECONDS * 1_000 }),
);

/**
 * Returns a response that was computed at most a minute ago for the same caller, permissions and request, or computes it.
 * @param request the route and everything that it reads from the request
 */
export async function cachedAnswer<Answer extends object>(
  { app, actor }: AuthenticatedCall,
  request: unknown[],
  compute: () => Promise<Answer>,
): Promise<Answer> {
  const { organization, permissions, unitGrants } = actor.claims;
  const parts = [actor.id, organization?.id, permissions, unitGrants, ...request];
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("base64");
  const answers = answersOf(app);
  const known = answers.get(key);
  if (known !== undefined) return known as Answer;
  const answer = await compute();
  answers.set(key, answer);
  return answer;
}
