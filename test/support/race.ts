/** How often a race is repeated: a few times by default, many times in CI. */
export const ROUNDS = Number(process.env.ROUNDS ?? 3);

/** How often slow races are repeated: a fifth of `ROUNDS`, but at least twice by default. */
export const FEWER_ROUNDS = Math.max(Math.min(ROUNDS, 2), Math.ceil(ROUNDS / 5));

/** Starts `count` calls concurrently and waits for all. */
export function race<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}
