/** The seed of one part of a run, such as a case; neighbouring seeds of runs share none. */
export const seedOf = (run: number, part: number | string): number => Bun.hash.xxHash32(`${run} ${part}`);
