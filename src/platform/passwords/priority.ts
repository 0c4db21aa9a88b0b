import { availableParallelism, getPriority, setPriority } from "node:os";

/** A tenth of the weight of usual threads: these take the core from a hash as soon as they wake, and a hash is never starved. */
const NICE = 10;

/**
 * Lowers the priority of the thread that calls it, where threads have one of their own: on Linux. Elsewhere it would be
 * that of the whole process. It takes no permission, but a sandbox may refuse it: then the thread stays as it is.
 */
export function lowerThreadPriority(): void {
  if (canLowerThreads()) setPriority(Math.min(getPriority() + NICE, 19));
}

/**
 * How many hashes run at once on so many cores. One a core multiplies the slowest answers of other requests, unless its
 * thread makes way for them; where it cannot, one core is left to everything else.
 */
export function hashConcurrency(cores = availableParallelism(), makesWay = canLowerThreads()): number {
  return makesWay ? cores : Math.max(1, cores - 1);
}

function canLowerThreads(): boolean {
  if (process.platform !== "linux") return false;
  try {
    setPriority(getPriority());
    return true;
  } catch {
    return false;
  }
}
