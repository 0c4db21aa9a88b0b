/** How much a gate lets through. */
export interface GateOptions {
  /** How many may run at once, at least 1. */
  readonly concurrency: number;
  /** How many may wait for a place; 0 refuses whoever cannot start at once. */
  readonly queue: number;
  /** Makes the error of a caller who finds the queue full. */
  readonly onFull: () => Error;
}

/** Runs the work when its turn comes and answers what the work answers; rejects at once when full. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * A gate that lets a bounded number through and serves the waiting in order of arrival. Whoever leaves
 * hands his place to the first in the queue, so a newcomer cannot slip in between. A place is held until
 * the work itself has ended, however it ends: a caller who has gone away still costs the machine what he
 * asked for, so he still counts, running or waiting.
 *
 * @throws RangeError for a concurrency below 1 or a queue below 0
 */
export function createGate({ concurrency, queue, onFull }: GateOptions): Gate {
  if (!(concurrency >= 1 && queue >= 0)) throw new RangeError("A gate needs concurrency >= 1 and queue >= 0");

  let running = 0;
  const waiting: (() => void)[] = [];

  async function enter(): Promise<void> {
    if (running < concurrency) {
      running += 1;
    } else if (waiting.length < queue) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      throw onFull();
    }
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
