import { readFileSync } from "node:fs";
import { descendantsOf } from "../../support/processes.ts";

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
  [pid, ...descendantsOf(pid)]
    .map((one) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${one}/status`))?.[1] ?? 0))
    .reduce((sum, one) => sum + one, 0);

/** Returns a file's text; empty for a process that has just exited. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
