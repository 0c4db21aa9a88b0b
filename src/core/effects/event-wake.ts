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
