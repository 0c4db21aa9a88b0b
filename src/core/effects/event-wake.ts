import { memoizePerApp } from "../memoize-per-app.ts";

/** A signal within the process that there may be work. A loop waits for the signal, or for its next poll. */
export class Wake {
  private resolve: (() => void) | null = null;
  private isSet = false;

  wake(): void {
    this.isSet = true;
    this.resolve?.();
  }

  /**
   * Resolves when `wake` is called, or after the time has passed. Resolves at once if `wake` was called since the
   * last wait.
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

/** Wakes the event relay of this instance after a commit with events. */
export const relayWake = memoizePerApp(() => new Wake());

const AFTER_ERROR_MS = 5_000;

/**
 * Repeats `work` until it is stopped: after a wake, or after the pause in milliseconds that `work` returned. After an
 * error the pause is five seconds.
 */
export function startLoop(wake: Wake, work: () => Promise<number>, onError: (err: unknown) => void) {
  let isStopping = false;
  const repeat = async () => {
    while (!isStopping) {
      const pause = await work().catch((err) => {
        onError(err);
        return AFTER_ERROR_MS;
      });
      if (pause > 0) await wake.wait(pause);
    }
  };
  const done = repeat();
  return {
    async stop() {
      isStopping = true;
      wake.wake();
      await done;
    },
  };
}
