import { browser } from "./dom.ts";

/** What the client takes from where it runs; tests bring their own clock, page and channel. */
export type Environment = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds that never run backwards, but may stand still while the machine sleeps. */
  readonly monotonic: () => number;
  /** Milliseconds of the wall clock: it goes on during sleep, but may be set, and may be wrong. */
  readonly wall: () => number;
  /** Calls back later; returns what cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Whether somebody may be looking at the page; outside of browsers always. */
  readonly isVisible: () => boolean;
  /** Calls back when the page is shown, hidden or online again; `restored` when it was frozen as a whole (bfcache). */
  readonly onPageChange: (listener: (restored: boolean) => void) => () => void;
  /** What the tabs of one cookie jar talk through; null where nothing shares the jar. */
  readonly channel: Pick<BroadcastChannel, "postMessage" | "close" | "onmessage"> | null;
};

/**
 * The environment of this page or process. Tabs share a channel in browsers alone: in a server process two clients may
 * have the sessions of two users, and must not hear each other.
 */
export function environmentOf(baseUrl: string, fetch = globalThis.fetch): Environment {
  const { document, window } = browser;
  return {
    fetch: (url, init) => fetch(url, init),
    monotonic: () => performance.now(),
    wall: () => Date.now(),
    after(milliseconds, run) {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    isVisible: () => document?.visibilityState !== "hidden",
    onPageChange(listener) {
      const changed = () => listener(false);
      const shown = (event: { readonly persisted?: boolean }) => {
        if (event.persisted) listener(true);
      };
      document?.addEventListener("visibilitychange", changed);
      window?.addEventListener("online", changed);
      window?.addEventListener("pageshow", shown);
      return () => {
        document?.removeEventListener("visibilitychange", changed);
        window?.removeEventListener("online", changed);
        window?.removeEventListener("pageshow", shown);
      };
    },
    channel:
      document === undefined || typeof BroadcastChannel === "undefined"
        ? null
        : new BroadcastChannel(`session:${baseUrl}`),
  };
}

/** A promise of that many milliseconds, which ends early when `signal` is aborted. */
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

/** Calls what a caller gave: an error in it is reported as uncaught, and stops nothing here. */
export function notify(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A step of 1, 2, 4 … 30 seconds, of which between half and all is waited. */
export const backoff = ({ random }: Pick<Environment, "random">, step: number): number =>
  Math.min(30, 2 ** step) * 1000 * (0.5 + random() / 2);
