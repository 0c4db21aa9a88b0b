import { request, runLoad } from "./load.ts";
import { percentile } from "./stats.ts";

/** Returns the p99 latency of empty responses in milliseconds, measured for `milliseconds`. */
export async function pings(url: string, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds;
  return p99OfPings(url, () => performance.now() < until);
}

/**
 * Returns the p99 latency of empty responses in milliseconds, measured while `goesOn` is true. Each request is sent
 * 2 ms after the previous response.
 */
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
