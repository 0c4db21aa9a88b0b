/** The middle of some values, the upper one of two; NaN of none. */
export const median = (values: number[]): number => percentile(values, 0.5);

/** The value that so large a part of the values does not exceed; NaN of none. */
export function percentile(values: number[] | Float64Array, part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** How often a thing is measured, each of those that are compared once a round. */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/** Measures all in turns, the other way round each time, so that what the machine does meanwhile weighs on all alike. */
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

/** The ratios of one value of two things, each within its round. */
export const ratios = <Measure>(
  ours: Measure[],
  others: Measure[],
  value: (measure: Measure) => number,
): number[] => ours.map((own, round) => value(own) / value(others[round] as Measure));

/** Prints a row of a table in Markdown; with `isHead` also the line below it. */
export function printRow(cells: (string | number)[], { isHead = false } = {}): void {
  console.log(`| ${cells.join(" | ")} |`);
  if (isHead) console.log(`|${" --- |".repeat(cells.length)}`);
}
