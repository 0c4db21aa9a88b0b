import { tooManyRequests } from "../errors.ts";

/** The maximum number of windows of one limit. Beyond it the oldest are dropped, so that no flood fills the memory. */
const MAX_WINDOWS = 50_000;

/** A limit of how often. */
type RateLimit = { readonly points: number; readonly perSeconds: number };

/** The state of a limit for one key. */
export type RateState = { isReached: boolean; remaining: number; secondsLeft: number };

type Window = { used: number; endsAt: number };

/** Counts how often something happens for each key, in windows that begin with the first count. */
export class Rate {
  /** The windows by key. The one that ends first comes first, because all have the same length. */
  private readonly windows = new Map<string, Window>();

  constructor(private readonly limit: RateLimit) {}

  /** Counts one for a key. @throws tooManyRequests if the limit is reached */
  consume(key: string): void {
    const { isReached, secondsLeft } = this.count(key);
    if (isReached) throw tooManyRequests(secondsLeft);
  }

  /** Counts one for a key, unless the limit is reached. Returns the state after it. */
  count(key: string): RateState {
    const window = this.find(key) ?? this.begin(key);
    const isReached = window.used >= this.limit.points;
    if (!isReached) window.used += 1;
    return this.stateOf(window, isReached);
  }

  /** Returns the state without counting. */
  peek(key: string): RateState {
    const window = this.find(key) ?? this.newWindow();
    return this.stateOf(window, window.used >= this.limit.points);
  }

  /** Takes one count of a key back. */
  refund(key: string): void {
    const window = this.find(key);
    if (window !== undefined && window.used > 0) window.used -= 1;
  }

  /** Returns the member of `RateLimit-Policy` for this limit (IETF draft 10). */
  policy(name: string): string {
    return `"${name}";q=${this.limit.points};w=${this.limit.perSeconds}`;
  }

  private find(key: string): Window | undefined {
    const window = this.windows.get(key);
    return window !== undefined && window.endsAt > performance.now() ? window : undefined;
  }

  private newWindow(): Window {
    return { used: 0, endsAt: performance.now() + this.limit.perSeconds * 1_000 };
  }

  /** Begins a window, and drops those that have ended. */
  private begin(key: string): Window {
    const now = performance.now();
    for (const [oldest, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < MAX_WINDOWS) break;
      this.windows.delete(oldest);
    }
    const window = this.newWindow();
    this.windows.set(key, window);
    return window;
  }

  private stateOf({ used, endsAt }: Window, isReached: boolean): RateState {
    const secondsLeft = Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000));
    return { isReached, remaining: this.limit.points - used, secondsLeft };
  }
}

/** Returns the member of `RateLimit` for the state of a limit (IETF draft 10). */
export const rateLimitField = (name: string, { remaining, secondsLeft }: RateState): string =>
  `"${name}";r=${remaining};t=${secondsLeft}`;

/** Returns the numbers of limits that a query counts, as its parameters. */
export const windowsOf = (limits: RateLimit[]) => ({
  points: limits.map(({ points }) => points),
  seconds: limits.map(({ perSeconds }) => perSeconds),
});
