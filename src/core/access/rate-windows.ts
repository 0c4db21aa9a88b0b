import { LRUCache } from "lru-cache";

const WINDOW_MS = 60_000;
/** The maximum number of windows. Beyond it, the least recently used windows are dropped. */
const MAX_KEYS = 50_000;

/** The state of a rate limit after a request. */
export type RateLimit = { isReached: boolean; remaining: number; secondsLeft: number };

type Window = { used: number; endsAt: number };

/** Counts requests by key in windows of one minute. A window begins with its first request. */
export class RateWindows {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_KEYS });

  constructor(readonly max: number) {}

  /** Counts one request, unless the limit is reached. `now` is a time on the clock of `performance.now()`. */
  count(key: string, now: number): RateLimit {
    const window = this.windowOf(key, now);
    const isReached = window.used >= this.max;
    if (!isReached) window.used += 1;
    return this.limitOf(window, isReached, now);
  }

  /** Returns the state of the rate limit without counting a request. */
  peek(key: string, now: number): RateLimit {
    const window = this.windowOf(key, now);
    return this.limitOf(window, window.used >= this.max, now);
  }

  private windowOf(key: string, now: number): Window {
    const current = this.windows.get(key);
    if (current !== undefined && current.endsAt > now) return current;
    const window = { used: 0, endsAt: now + WINDOW_MS };
    this.windows.set(key, window);
    return window;
  }

  private limitOf({ used, endsAt }: Window, isReached: boolean, now: number): RateLimit {
    return {
      isReached,
      remaining: this.max - used,
      secondsLeft: Math.max(1, Math.ceil((endsAt - now) / 1_000)),
    };
  }
}
