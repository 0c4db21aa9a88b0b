import { memoizePerApp } from "#kit";

/**
 * The interval at which a waiting call looks at the feed by itself: a notification may be lost while the connection
 * that listens is down.
 */
const LOOK_MS = 1_000;

/** The calls of an instance that wait for entries of the feed. A waiting call uses no database connection. */
class FeedWaits {
  private readonly resolves = new Set<() => void>();
  private isStopped = false;
  /** Grows whenever the feed may have new entries. Read it before the feed, so that no notification is missed. */
  version = 0;

  /** The feed may have new entries. */
  wake(): void {
    this.version += 1;
    for (const resolve of [...this.resolves]) resolve();
  }

  /** Ends all waiting calls, and lets no later one wait: the instance stops. */
  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  /**
   * Waits until the feed may have entries after `version`. Returns false if the call shall end: its time is over, its client
   * has disconnected, or the instance stops.
   * @param until on the clock of `performance.now()`
   */
  async next(version: number, { until, signal }: { until: number; signal: AbortSignal }): Promise<boolean> {
    const isOver = () => this.isStopped || signal.aborted || performance.now() >= until;
    if (isOver()) return false;
    if (version !== this.version) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(LOOK_MS, until - performance.now()));
    const end = () => resolve();
    this.resolves.add(end);
    signal.addEventListener("abort", end);
    await promise;
    clearTimeout(timer);
    this.resolves.delete(end);
    signal.removeEventListener("abort", end);
    return !isOver();
  }
}

export const feedWaitsOf = memoizePerApp(() => new FeedWaits());
