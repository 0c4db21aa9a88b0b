import { LRUCache } from "lru-cache";

const WINDOW_MS = 60_000;
/** Beyond this number, the windows that were used longest ago begin anew. */
const MAX_KEYS = 50_000;

/** The state of a limit after a request. */
export type RateLimit = { isReached: boolean; remaining: number; secondsLeft: number };

type Window = { used: number; endsAt: number };

/** Counts by key in windows of one minute, which begin with the first count. */
export class RateWindows {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_KEYS });

  constructor(readonly max: number) {}

  /** Counts one more, unless the limit is reached. */
  count(key: string): RateLimit {
    const window = this.windowOf(key);
    const limit = this.limitOf(window);
    if (limit.isReached) return limit;
    window.used += 1;
    return { ...limit, remaining: limit.remaining - 1 };
  }

  /** Counts nothing. */
  peek(key: string): RateLimit {
    return this.limitOf(this.windowOf(key));
  }

  private windowOf(key: string): Window {
    const now = performance.now();
    const current = this.windows.get(key);
    if (current !== undefined && current.endsAt > now) return current;
    const window = { used: 0, endsAt: now + WINDOW_MS };
    this.windows.set(key, window);
    return window;
  }

  private limitOf({ used, endsAt }: Window): RateLimit {
    const secondsLeft = Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000));
    return { isReached: used >= this.max, remaining: this.max - used, secondsLeft };
  }
}
