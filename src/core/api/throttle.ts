import { tooManyRequests } from "../../platform/errors.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import { RateLimiterMemory, RateLimiterRes } from "../../platform/rate-limiter.ts";
import type { Actor } from "../access/access.ts";
import type { App } from "../context.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import type { Throttling } from "./route.ts";

/** Returns the rate limits of one route. Each instance of the service counts separately. */
export function throttleOf({ perIp, perUserPerMinute, response }: Throttling) {
  const byAddress = perIp && counters((app) => app.config.throttleLimit * Number(perIp));
  const byUser = perUserPerMinute && counters(() => perUserPerMinute);
  return {
    /**
     * Counts a call from an IP address. Returns null; above the limit, returns the response that the route defines.
     * @throws tooManyRequests if the route defines no response
     */
    async perIp(app: App, ip: string): Promise<Response | null> {
      if (!byAddress) return null;
      try {
        await consume(byAddress(app), throttleKey(ip));
        return null;
      } catch (error) {
        if (response === undefined) throw error;
        return response(app);
      }
    },
    /** Counts a call of a user. @throws tooManyRequests */
    async perUser(app: App, userId: string): Promise<void> {
      if (byUser) await consume(byUser(app), userId);
    },
  };
}

/**
 * The maximum number of requests with an `Idempotency-Key` per hour, for a user and for a service account (rules
 * 27.9).
 */
const KEYED_PER_HOUR = 1_000;
const KEYED_PER_HOUR_OF_MACHINES = 10_000;
const keyedRequests = memoizePerApp(() => ({
  user: new RateLimiterMemory({ points: KEYED_PER_HOUR, duration: 3600 }),
  service_account: new RateLimiterMemory({ points: KEYED_PER_HOUR_OF_MACHINES, duration: 3600 }),
}));

/** Counts a request with an `Idempotency-Key`. Repeated and rejected requests count too. @throws tooManyRequests */
export const countKeyedRequest = (app: App, { type, id }: Actor): Promise<void> =>
  consume(keyedRequests(app)[type], id);

const counters = (callsPerMinute: (app: App) => number) =>
  memoizePerApp((app) => new RateLimiterMemory({ points: callsPerMinute(app), duration: 60 }));

async function consume(bucket: RateLimiterMemory, key: string): Promise<void> {
  try {
    await bucket.consume(key);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) throw tooManyRequests(Math.ceil(refused.msBeforeNext / 1000) || 1);
    throw refused;
  }
}
