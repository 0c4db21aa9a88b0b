/** The seed of one part of a run, such as a case; neighbouring seeds of runs share none. */
export const seedOf = (run: number, part: number | string): number => Bun.hash.xxHash32(`${run} ${part}`);

/** A client address for a person, as a proxy passes it on: limits of one address are not shared by all people of a run. */
export const addressOf = (person: string): string => {
  const hash = Bun.hash.xxHash32(person);
  return `10.${hash & 255}.${(hash >> 8) & 255}.${(hash >> 16) & 255}`;
};
