import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { perApp } from "../../core/per-app.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import { TurnLimiter } from "../../platform/turn-limiter.ts";

const MAX_FAILURES_PER_MINUTE = 60;
/** Fewer than there are connections for refreshes. */
const TURNS = { max: 3, maxWaiting: 500 };

/**
 * Limits the refreshes of one address, because anybody can send them. Refreshes that succeed are not counted, so that an
 * address with many users, or with an attacker among them, can still refresh.
 */
class RefreshLimiter {
  private readonly turns = new TurnLimiter();
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES_PER_MINUTE, duration: 60 });

  /** Runs a refresh when it is the address's turn. @throws tooManyRequests, serviceUnavailable */
  async run<T>(
    { ip, request, maxWaitMs }: { ip: string; request: Pick<Request, "signal">; maxWaitMs: number },
    work: () => Promise<T>,
  ): Promise<T> {
    const limits = [{ key: throttleKey(ip), ...TURNS }];
    const release = await this.turns.acquire(limits, {
      request,
      deadlineAt: performance.now() + maxWaitMs,
    });
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Whether more refreshes of the address have failed than it may try. */
  async hasFailedTooOften(ip: string): Promise<boolean> {
    const counted = await this.failures.get(throttleKey(ip));
    return counted !== null && counted.consumedPoints >= MAX_FAILURES_PER_MINUTE;
  }

  /** Counts a refresh that failed. @throws tooManyRequests beyond 60 a minute */
  async countFailure(ip: string): Promise<void> {
    try {
      await this.failures.consume(throttleKey(ip));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw tooManyRequests(Math.ceil(refused.msBeforeNext / 1000) || 1);
    }
  }
}

/** The limiter of an instance of the service. */
export const refreshLimiterOf = perApp(() => new RefreshLimiter());
