import { request, runLoad } from "./load.ts";
import { percentile } from "./stats.ts";

/** The p99 of empty responses, in milliseconds. */
export async function pings(url: string, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds;
  return p99OfPings(url, () => performance.now() < until);
}

/** The same while `work` runs. Each ping waits for the previous one, and a little longer. */
export async function p99OfPings(url: string, goesOn: () => boolean): Promise<number> {
  const ping = request("GET", "/api/health/live");
  const times: number[] = [];
  while (goesOn()) {
    const { p50 } = await runLoad(url, [{ next: () => ping }], 0);
    times.push(p50);
    await Bun.sleep(2);
  }
  return percentile(times, 0.99);
}
