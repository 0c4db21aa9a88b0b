import { tooManyRequests } from "../../platform/errors.ts";
import { RateLimiterMemory, RateLimiterRes } from "../../platform/rate-limiter.ts";

declare module "../../core/context.ts" {
  interface App {
    readonly helpdeskLimits: HelpdeskLimits;
  }
}

/** The maximum number of messages and notes of a ticket (rules 20.13). */
export const MAX_MESSAGES = 1_000;

/**
 * An attempt at an action with an hourly limit per user and instance (rules 20.11). Only successful attempts count.
 */
export interface LimitedAction {
  /** Counts the attempt; repeated calls count it once. @throws tooManyRequests if the limit is reached */
  consume(): Promise<void>;
  /** Reverses `consume` for an action that failed, because only successful actions count. */
  refund(): Promise<void>;
}

/** Creates an hourly limit per user. */
export type HourlyLimit = (userId: string) => LimitedAction;

export function hourlyLimit(max: number): HourlyLimit {
  const bucket = new RateLimiterMemory({ points: max, duration: 3600 });
  return (userId) => {
    let isCounted = false;
    return {
      async consume() {
        if (isCounted) return;
        try {
          await bucket.consume(userId);
        } catch (refused) {
          if (!(refused instanceof RateLimiterRes)) throw refused;
          // An attempt that was rejected because of the limit is not counted.
          await bucket.reward(userId);
          throw tooManyRequests(Math.ceil(refused.msBeforeNext / 1000) || 1);
        }
        isCounted = true;
      },
      async refund() {
        if (isCounted) await bucket.reward(userId);
        isCounted = false;
      },
    };
  };
}

/**
 * Creates the hourly limits of the helpdesk per user: 5 tickets, and 30 messages besides the first message of a
 * ticket.
 */
export const helpdeskLimits = () => ({ tickets: hourlyLimit(5), messages: hourlyLimit(30) });
export type HelpdeskLimits = ReturnType<typeof helpdeskLimits>;
