import { availableParallelism, getPriority, setPriority } from "node:os";

/**
 * A tenth of the weight of normal threads: normal threads preempt a hash as soon as they wake, but never starve it.
 */
const NICE = 10;

/**
 * Lowers the priority of the calling thread on Linux, where each thread has a priority; elsewhere this would change
 * the whole process. It needs no permission, but a sandbox may forbid it; the priority then stays unchanged.
 */
export function lowerThreadPriority(): void {
  if (canLowerThreads()) setPriority(Math.min(getPriority() + NICE, 19));
}

/**
 * Returns how many hashes run at once on this many cores. One per core multiplies the slowest response times of other
 * requests, unless the hashing threads have a low priority. If they cannot have one, one core stays free.
 */
export function hashConcurrency(cores = availableParallelism(), lowersPriority = canLowerThreads()): number {
  return lowersPriority ? cores : Math.max(1, cores - 1);
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
