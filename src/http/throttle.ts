import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { throttleKey } from "./client-address.ts";
import { tooManyRequests } from "./errors.ts";

/** Lets so many calls a minute through for each client address, in a bucket of its own (specification 8.1). */
export type Throttle = (ip: string) => Promise<void>;

/** @throws from the throttle: tooManyRequests */
export function perIpThrottle(callsPerMinute: number): Throttle {
  const bucket = new RateLimiterMemory({ points: callsPerMinute, duration: 60 });
  return async (ip) => {
    try {
      await bucket.consume(throttleKey(ip));
    } catch (refused) {
      if (refused instanceof RateLimiterRes)
        throw tooManyRequests(Math.ceil(refused.msBeforeNext / 1000) || 1);
      throw refused;
    }
  };
}
