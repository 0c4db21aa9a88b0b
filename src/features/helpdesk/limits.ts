import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { tooManyRequests } from "../../platform/errors.ts";

declare module "../../core/context.ts" {
  interface App {
    readonly helpdeskLimits: HelpdeskLimits;
  }
}

/** One try at what somebody may do so often an hour on one instance (rules 20.11). Only what succeeds counts. */
export interface Slot {
  /** Once, however often it is asked. @throws tooManyRequests */
  take(): Promise<void>;
  /** Gives it back, where nothing came of it. */
  release(): Promise<void>;
}

/** Hands out the slots of each user. */
export type HourlyLimit = (userId: string) => Slot;

export function hourlyLimit(max: number): HourlyLimit {
  const bucket = new RateLimiterMemory({ points: max, duration: 3600 });
  return (userId) => {
    let isTaken = false;
    return {
      async take() {
        if (isTaken) return;
        try {
          await bucket.consume(userId);
        } catch (refused) {
          if (!(refused instanceof RateLimiterRes)) throw refused;
          // What is refused does not count either.
          await bucket.reward(userId);
          throw tooManyRequests(Math.ceil(refused.msBeforeNext / 1000) || 1);
        }
        isTaken = true;
      },
      async release() {
        if (isTaken) await bucket.reward(userId);
        isTaken = false;
      },
    };
  };
}

/** Those of the helpdesk: tickets sent, and messages beside each one's first. */
export const helpdeskLimits = () => ({ tickets: hourlyLimit(5), messages: hourlyLimit(30) });
export type HelpdeskLimits = ReturnType<typeof helpdeskLimits>;
