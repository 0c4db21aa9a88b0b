/** Does work when its turn comes, and answers what it answers. */
export type Turns = <T>(work: () => PromiseLike<T>) => Promise<T>;

/** Lets so much work be done at once; the rest waits, in order of arrival. */
export function turns(max: number): Turns {
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
