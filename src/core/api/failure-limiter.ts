import { tooManyRequests } from "../../platform/errors.ts";

const WINDOW_MS = 60_000;
/** The number of requests of one key that wait while others of it are being served. */
const MAX_WAITING = 100;

/** Ends a reservation: the point stays spent if the request failed. */
export type Settle = (succeeded: boolean) => void;
/** The failures of one key in a minute, which begins with the first of them. */
type Window = { spent: number; reserved: number; endsAt: number; waiting: Set<() => void> };

/**
 * Limits the requests under a key that fail, in a minute. Each request reserves a point before it is served, so that
 * parallel requests cannot exceed the limit, and gets it back if it succeeds. While all points that are left are
 * reserved, further requests wait, because the ones before them may succeed.
 */
export class FailureLimiter {
  private readonly windows = new Map<string, Window>();

  constructor(private readonly max: number) {}

  /**
   * Reserves a point.
   * @throws tooManyRequests if all points of this minute are spent, or if all are reserved until the deadline
   */
  async reserve(key: string, deadlineAt: number): Promise<Settle> {
    for (;;) {
      const window = this.windows.get(key) ?? { spent: 0, reserved: 0, endsAt: 0, waiting: new Set() };
      this.windows.set(key, window);
      const msLeft = window.endsAt - performance.now();
      if (msLeft <= 0) window.spent = 0;
      if (window.spent >= this.max) throw tooManyRequests(Math.ceil(msLeft / 1000));
      if (window.spent + window.reserved < this.max) {
        window.reserved += 1;
        return (succeeded) => this.settle(key, window, succeeded);
      }
      if (window.waiting.size >= MAX_WAITING || !(await nextEnd(window, deadlineAt)))
        throw tooManyRequests(1);
    }
  }

  private settle(key: string, window: Window, succeeded: boolean): void {
    window.reserved -= 1;
    if (!succeeded) this.spend(key, window);
    const waiting = [...window.waiting];
    window.waiting.clear();
    for (const wake of waiting) wake();
    if (waiting.length === 0) this.deleteUnused(key, window);
  }

  private spend(key: string, window: Window): void {
    const now = performance.now();
    if (window.endsAt <= now) {
      window.spent = 0;
      window.endsAt = now + WINDOW_MS;
      // Some runtimes return a number.
      const timer: { unref?(): void } | number = setTimeout(() => this.deleteUnused(key, window), WINDOW_MS);
      if (typeof timer === "object") timer.unref?.();
    }
    window.spent += 1;
  }

  /** Forgets a key without failures of this minute and without requests. */
  private deleteUnused(key: string, { endsAt, reserved, waiting }: Window): void {
    if (endsAt <= performance.now() && reserved === 0 && waiting.size === 0) this.windows.delete(key);
  }
}

/** Waits for the next end of a request; returns false at the deadline. */
function nextEnd({ waiting }: Window, deadlineAt: number): Promise<boolean> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(
      () => {
        waiting.delete(wake);
        resolve(false);
      },
      Math.max(0, deadlineAt - performance.now()),
    );
    waiting.add(wake);
  });
}
