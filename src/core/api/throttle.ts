import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { tooManyRequests } from "../../platform/errors.ts";
import { throttleKey } from "../../platform/http/client-address.ts";

/** Lets so many calls a minute through for each client address, or each user, on one instance (specification 8.1). */
export type Throttle = (key: string) => Promise<void>;

/** @throws from the throttle: tooManyRequests */
export function perIpThrottle(callsPerMinute: number): Throttle {
  const throttle = perUserThrottle(callsPerMinute);
  return (ip) => throttle(throttleKey(ip));
}

/** @throws from the throttle: tooManyRequests */
export function perUserThrottle(callsPerMinute: number): Throttle {
  const bucket = new RateLimiterMemory({ points: callsPerMinute, duration: 60 });
  return async (key) => {
    try {
      await bucket.consume(key);
    } catch (refused) {
      if (refused instanceof RateLimiterRes)
        throw tooManyRequests(Math.ceil(refused.msBeforeNext / 1000) || 1);
      throw refused;
    }
  };
}
