import { browser } from "./dom.ts";
import { browserMemory, type Memory } from "./memory.ts";

/** What the client needs from its environment; tests pass their own clock, page and channel. */
export type Environment = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Returns monotonic milliseconds, which may stand still while the machine sleeps. */
  readonly monotonic: () => number;
  /** Returns milliseconds of the wall clock, which continue while the machine sleeps, but may be changed or wrong. */
  readonly wall: () => number;
  /** Runs a callback after a delay; returns a function that cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /**
   * Whether this process shows a page. Without a page the client sends no request by itself, because a server may
   * be rendering.
   */
  readonly hasPage: boolean;
  /** Whether the page is visible; always true outside of browsers. */
  readonly isVisible: () => boolean;
  /**
   * Registers a callback for when the page is shown, hidden or online again. `restored` is true if the page was
   * restored from the browser's back/forward cache.
   */
  readonly onPageChange: (listener: (restored: boolean) => void) => () => void;
  /** Stores whether a user is signed in, for all pages with the same cookies. */
  readonly memory: Memory;
  /** The channel between the tabs with the same cookies; null if no other tab can have them. */
  readonly channel: Pick<BroadcastChannel, "postMessage" | "close" | "onmessage"> | null;
};

/** The timers of this process. */
export const timers: Pick<Environment, "after" | "random"> = {
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/**
 * Returns the environment of this page or process. Tabs share a channel only in browsers: two clients in a server
 * process may have the sessions of two users, and must not receive each other's messages.
 */
export function environmentOf(baseUrl: string, fetch = globalThis.fetch): Environment {
  const { document, window } = browser;
  return {
    fetch: (url, init) => fetch(url, init),
    monotonic: () => performance.now(),
    wall: () => Date.now(),
    ...timers,
    hasPage: document !== undefined,
    isVisible: () => document?.visibilityState !== "hidden",
    onPageChange(listener) {
      const ending = new AbortController();
      const changed = () => listener(false);
      const shown = (event: { readonly persisted?: boolean }) => {
        if (event.persisted) listener(true);
      };
      const { signal } = ending;
      document?.addEventListener("visibilitychange", changed, { signal });
      window?.addEventListener("online", changed, { signal });
      window?.addEventListener("pageshow", shown, { signal });
      return () => ending.abort();
    },
    memory: browserMemory(baseUrl),
    channel:
      document === undefined || typeof BroadcastChannel === "undefined"
        ? null
        : new BroadcastChannel(`session:${baseUrl}`),
  };
}

/** Resolves after this number of milliseconds, or as soon as `signal` is aborted. */
export function pause(
  { after }: Pick<Environment, "after">,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = after(milliseconds, done);
    signal?.addEventListener("abort", done);
  });
}

/**
 * Calls a listener of the application. An error in the listener is reported as uncaught, and does not interrupt the
 * caller.
 */
export function notify(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Returns the wait of an exponential backoff with jitter: a random part (half to all) of 1, 2, 4 … 30 seconds. */
export const backoff = ({ random }: Pick<Environment, "random">, step: number): number =>
  Math.min(30, 2 ** step) * 1000 * (0.5 + random() / 2);
