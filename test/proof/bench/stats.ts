import { readFileSync } from "node:fs";
import { descendantsOf, megabytesOf } from "../../support/processes.ts";

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

/** Linux reports CPU time in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;

/**
 * Returns the CPU time in seconds of a process and its descendants, including all threads and processes that have
 * exited. Compare it with an earlier value.
 */
export function cpuSeconds(pid: number): number {
  const ticks = [pid, ...descendantsOf(pid)].flatMap((one) => {
    // The fields of /proc/<pid>/stat after the process name: user and system time, each also of children that have
    // exited.
    const fields = read(`/proc/${one}/stat`).split(") ").at(-1)?.split(" ") ?? [];
    return fields.slice(11, 15).map(Number);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
}

/**
 * Returns the CPU time in milliseconds, to the nanosecond, of the main threads of a process and its running
 * descendants. It is for PostgreSQL, whose connections stay open. Compare it with an earlier value.
 */
export const runningMilliseconds = (pid: number): number =>
  [pid, ...descendantsOf(pid)]
    .map((one) => Number(read(`/proc/${one}/schedstat`).split(" ")[0]) / 1e6)
    .reduce((sum, one) => sum + one, 0);

/** Returns the resident memory in kilobytes of a process and its descendants. */
export const kilobytes = (pid: number): number =>
  [pid, ...descendantsOf(pid)].map((one) => 1024 * megabytesOf(one)).reduce((sum, one) => sum + one, 0);

/** Returns a file's text; empty for a process that has just exited. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
