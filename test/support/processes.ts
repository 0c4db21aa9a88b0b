import { readFileSync } from "node:fs";

/** Functions on the processes of this machine, which they list with `ps`. */

/** Returns the resident memory (RSS) of a process in MB. */
export const megabytesOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** Returns all live descendants of a process. */
export function descendantsOf(pid: number): number[] {
  const parents = listed();
  const found = [pid];
  // The array `found` grows during this loop.
  for (const parent of found) found.push(...parents.flatMap(([child, of]) => (of === parent ? [child] : [])));
  return found.slice(1);
}

/** Returns the children of a process. */
export const childrenOf = (pid: number): number[] =>
  listed().flatMap(([child, parent]) => (parent === pid ? [child] : []));

/** Kills a process and all its descendants. */
export function killTree(pid: number): void {
  const stopped = new Set<number>();
  // All processes are stopped before they are killed: a running one could start another, which would be orphaned.
  for (let found = [pid]; found.length > 0; ) {
    for (const one of found) {
      signal(one, "SIGSTOP");
      stopped.add(one);
    }
    found = descendantsOf(pid).filter((one) => !stopped.has(one));
  }
  for (const one of stopped) signal(one, "SIGKILL");
}

/** Sends a signal to a process that may have ended; returns whether it existed. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Returns the processes that are running; zombies do not count. */
export function alive(pids: number[]): number[] {
  const running = pids.filter((pid) => signal(pid, 0));
  if (running.length === 0) return [];
  const lines = run("ps", "-o", "pid=,stat=", "-p", running.join());
  return lines.flatMap((line) => (/^\d+ [^Z]/.test(line) ? Number.parseInt(line, 10) : []));
}

/** Lists each process with its parent. */
const listed = () =>
  run("ps", "-A", "-o", "pid=,ppid=").map((line) => line.split(/\s+/).map(Number) as [number, number]);

const run = (...command: string[]) =>
  Bun.spawnSync(command)
    .stdout.toString()
    .split("\n")
    .map((line) => line.trim());
