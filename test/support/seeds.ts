/** Returns the seed of one part of a run, for example of a test case. The parts of runs with consecutive seeds differ. */
export const seedOf = (run: number, part: number | string): number => Bun.hash.xxHash32(`${run} ${part}`);

/** Returns a client address for a person, as a proxy would send it, so that people do not share limits per address. */
export const addressOf = (person: string): string => {
  const hash = Bun.hash.xxHash32(person);
  return `10.${hash & 255}.${(hash >> 8) & 255}.${(hash >> 16) & 255}`;
};
