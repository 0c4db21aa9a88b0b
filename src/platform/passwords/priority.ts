import { availableParallelism, getPriority, setPriority } from "node:os";

/**
 * The scheduling priority of hashing threads: a tenth of the weight of normal threads. Normal threads preempt a
 * hash as soon as they wake, but never starve it.
 */
const NICE = 10;

/**
 * Lowers the priority of the calling thread on Linux, where each thread has a priority. On other systems this would
 * change the whole process. It needs no permission, but a sandbox may forbid it; the priority then stays unchanged.
 */
export function lowerThreadPriority(): void {
  if (canLowerThreads()) setPriority(Math.min(getPriority() + NICE, 19));
}

/**
 * Returns how many hashes run at once on this number of cores. One hash per core multiplies the slowest response
 * times of other requests, unless the hashing threads have a low priority. If they cannot have it, one core stays
 * free.
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
