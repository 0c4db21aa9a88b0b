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
export const p99OfPings = (url: string, goesOn: () => boolean): Promise<number> =>
  p99Of(url, request("GET", "/api/health/live"), goesOn);

/** Returns the p99 latency in milliseconds of a request that is repeated like the pings. */
export async function p99Of(url: string, text: string, goesOn: () => boolean): Promise<number> {
  const times: number[] = [];
  while (goesOn()) {
    const { p50 } = await runLoad(url, [{ next: () => text }], 0);
    times.push(p50);
    await Bun.sleep(2);
  }
  return percentile(times, 0.99);
}
