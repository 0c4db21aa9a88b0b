import { readFileSync } from "node:fs";
import { descendantsOf } from "../support/processes.ts";

/** Linux counts CPU time in hundredths of a second for whoever reads it. */
const TICKS_PER_SECOND = 100;

/**
 * CPU time, in seconds, that a process and those below it have used, all threads, with those that have ended. To be
 * compared with an earlier one.
 */
export function cpuSeconds(pid: number): number {
  const ticks = [pid, ...descendantsOf(pid)].flatMap((one) => {
    // After the name, which may hold anything: user, system, and both of the children that were waited for.
    const fields = read(`/proc/${one}/stat`).split(") ").at(-1)?.split(" ") ?? [];
    return fields.slice(11, 15).map(Number);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
}

/** Memory, in kilobytes, that a process and those below it hold. */
export const kilobytes = (pid: number): number =>
  [pid, ...descendantsOf(pid)]
    .map((one) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${one}/status`))?.[1] ?? 0))
    .reduce((sum, one) => sum + one, 0);

/** Empty for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
