import { memoizePerApp } from "../../core/memoize-per-app.ts";
import { ConcurrencyLimiter } from "../../platform/concurrency-limiter.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import { RateLimiterMemory, RateLimiterRes } from "../../platform/rate-limiter.ts";

const MAX_FAILURES_PER_MINUTE = 60;
/** The maximum number of concurrent refreshes from one address; fewer than there are connections for refreshes. */
const TURNS = { max: 6, maxWaiting: 500 };

/**
 * Limits the concurrent refreshes of one address, because refreshing needs no authentication. Successful refreshes do
 * not count against the limit of failures, so that an address with many users, or with an attacker among them, can
 * still refresh.
 */
class RefreshLimiter {
  private readonly turns = new ConcurrencyLimiter();
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES_PER_MINUTE, duration: 60 });

  /** Runs a refresh as soon as the address has a free slot. @throws tooManyRequests, serviceUnavailable */
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

/** Creates the limits of refreshes for an instance of the service. */
export const refreshLimiterOf = memoizePerApp(() => new RefreshLimiter());
