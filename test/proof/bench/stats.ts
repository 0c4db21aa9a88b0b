/** Returns the median (of an even number of values, the upper of the two in the middle); NaN without values. */
export const median = (values: number[]): number => percentile(values, 0.5);

/** Returns a percentile; NaN without values. */
export function percentile(values: number[] | Float64Array, part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** The number of rounds; each round measures every candidate once. */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/**
 * Measures all candidates in turns, in reverse order in every other round, so that other load affects all equally.
 */
export async function inTurns<Name extends string, Measure>(
  all: Record<Name, () => Promise<Measure>>,
  rounds = ROUNDS,
): Promise<Record<Name, Measure[]>> {
  const names = Object.keys(all) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as Measure[]])) as Record<Name, Measure[]>;
  for (let round = 0; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) found[name].push(await all[name]());
  return found;
}

/** Returns the ratios of a value of two candidates, computed within each round. */
export const ratios = <Measure>(
  ours: Measure[],
  others: Measure[],
  value: (measure: Measure) => number,
): number[] => ours.map((own, round) => value(own) / value(others[round] as Measure));

/** Prints a row of a Markdown table. With `isHead`, also prints the line below the header. */
export function printRow(cells: (string | number)[], { isHead = false } = {}): void {
  console.log(`| ${cells.join(" | ")} |`);
  if (isHead) console.log(`|${" --- |".repeat(cells.length)}`);
}
