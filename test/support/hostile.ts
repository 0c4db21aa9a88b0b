import { afterAll } from "bun:test";
import { join } from "node:path";

/** Starts hostile HTTP servers; returns the URL of each by the kind of its responses. */
export async function startHostileServers(): Promise<Record<string, string>> {
  const server = Bun.spawn(["bun", join(import.meta.dir, "hostile-server.ts")], {
    ipc() {},
    stdout: "pipe",
    stderr: "inherit",
  });
  afterAll(() => server.kill());
  const { value } = await server.stdout.getReader().read();
  const ports: Record<string, number> = JSON.parse(new TextDecoder().decode(value));
  return Object.fromEntries(Object.entries(ports).map(([kind, port]) => [kind, `http://127.0.0.1:${port}`]));
}

/**
 * Measures the longest turn of the event loop during `work`, in milliseconds of processor time, which other processes do
 * not lengthen.
 */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ result: T; milliseconds: number }> {
  let isOver = false;
  let longest = 0;
  let last = process.cpuUsage();
  const measure = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
    if (!isOver) setTimeout(measure, 1);
  };
  measure();
  try {
    return { result: await work(), milliseconds: longest };
  } finally {
    isOver = true;
  }
}
