import type { Service } from "../support/service.ts";
import { type Client, request, runLoad } from "./load.ts";

const LOGINS_IN_FLIGHT = 20;
const MEASURE_MS = 4_000;

/**
 * How long an empty answer takes while others sign in, against an idle service. Hashing is the one thing here
 * that could hold everybody up. Each ping waits for the one before and rests a little.
 */
export async function reportLatency(t: Service, url: string): Promise<void> {
  const people = await Promise.all(Array.from({ length: LOGINS_IN_FLIGHT }, () => t.person()));
  const logins: Client[] = people.map((person) => {
    const login = request("POST", "/api/auth/login", {}, person.account);
    return { next: () => login };
  });

  await pings(url, 1_000);
  const idle = await pings(url, MEASURE_MS);
  const [busy] = await Promise.all([pings(url, MEASURE_MS), runLoad(url, logins, MEASURE_MS + 500)]);
  const line = [
    `${LOGINS_IN_FLIGHT} sign-ins in flight, p99 of an empty answer`.padEnd(40),
    `${idle.toFixed(2)} ms idle`,
  ];
  console.log(...line, `${busy.toFixed(2)} ms busy`, `${(busy / idle).toFixed(1)} times (aim < 5)`);
}

/** The p99 of empty answers, in milliseconds. */
export async function pings(url: string, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds;
  return p99OfPings(url, () => performance.now() < until);
}

/** The same for as long as something goes on. */
export async function p99OfPings(url: string, goesOn: () => boolean): Promise<number> {
  const ping = request("GET", "/api/health/live");
  const times: number[] = [];
  while (goesOn()) {
    const started = performance.now();
    await runLoad(url, [{ next: () => ping }], 0);
    times.push(performance.now() - started);
    await Bun.sleep(2);
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
