/** Runs work when a slot is free, and returns its result. */
export type RunLimited = <T>(work: () => PromiseLike<T>) => Promise<T>;

/** Creates a limiter that runs at most `max` pieces of work at once; the others wait in order of arrival. */
export function limitConcurrency(max: number): RunLimited {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < max) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
