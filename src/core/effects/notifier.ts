import { memoizePerApp } from "../memoize-per-app.ts";

/** Notifies a loop of this process that there may be work. The loop waits for that, or for its next poll. */
export class Notifier {
  private resolve: (() => void) | null = null;
  private isSet = false;

  notify(): void {
    this.isSet = true;
    this.resolve?.();
  }

  /**
   * Resolves when `notify` is called, or after the time has passed. Resolves at once if `notify` was called since
   * the last wait.
   */
  async wait(milliseconds: number): Promise<void> {
    if (!this.isSet) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, milliseconds);
      this.resolve = resolve;
      await promise;
      clearTimeout(timer);
      this.resolve = null;
    }
    this.isSet = false;
  }
}

/** Notifies the event relay of this instance after a commit with events. */
export const relayNotifier = memoizePerApp(() => new Notifier());

const AFTER_ERROR_MS = 5_000;

/**
 * Repeats `work` until it is stopped: after a notification, or after the pause in milliseconds that `work` returned. After an
 * error the pause is five seconds.
 */
export function startLoop(notifier: Notifier, work: () => Promise<number>, onError: (err: unknown) => void) {
  let isStopping = false;
  const repeat = async () => {
    while (!isStopping) {
      const pause = await work().catch((err) => {
        onError(err);
        return AFTER_ERROR_MS;
      });
      if (pause > 0) await notifier.wait(pause);
    }
  };
  const done = repeat();
  return {
    async stop() {
      isStopping = true;
      notifier.notify();
      await done;
    },
  };
}
