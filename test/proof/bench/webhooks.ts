import { p99Of } from "./latency.ts";
import { bearer, fetchOnce, request } from "./load.ts";
import type { Database } from "./seed.ts";
import { median, percentile, printRow, ROUNDS } from "./stats.ts";
import { startBench, type Target } from "./targets.ts";
import { type Person, seedWorld } from "./world.ts";

const ENDPOINTS = "/api/webhooks/endpoints";
const ORGANIZATIONS = 5;
const PENDING = 10_000;
const EVENTS = 40;
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 3_000);

/** A receiver at an address of its own, which responds at once or, while `isHanging`, not at all. */
function startReceiver(number: number) {
  const state = { isHanging: false, arrivals: new Map<string, number>() };
  let held = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: `127.0.0.${number}`,
    port: 0,
    idleTimeout: 60,
    async fetch(received) {
      const { data } = (await received.json()) as { data: { object: { title: string } } };
      state.arrivals.set(data.object.title, performance.now());
      if (state.isHanging) await held.promise;
      return new Response("ok");
    },
  });
  return {
    state,
    url: `http://${server.hostname}:${server.port}/`,
    setHanging(isHanging: boolean) {
      state.isHanging = isHanging;
      held.resolve();
      if (isHanging) held = Promise.withResolvers();
    },
  };
}
type Receiver = ReturnType<typeof startReceiver>;

const todo = (service: Target, { ownToken }: Person, title: string) =>
  fetchOnce(service.url, request("POST", "/api/todos", bearer(ownToken), { title }));

async function register(service: Target, { ownToken }: Person, { url }: Receiver): Promise<void> {
  const body = { url, eventTypes: ["todo.created"] };
  await fetchOnce(service.url, request("POST", ENDPOINTS, bearer(ownToken), body));
}

/**
 * Measures what the deliveries of other organizations delay: the time from the response of a change to the arrival of
 * its event, and the p99 of other requests, beside 10,000 pending deliveries to receivers that hang. Both are measured in
 * turns with and without them.
 */
export async function reportWebhooks(): Promise<void> {
  const bench = await startBench({ isDurable: false });
  try {
    const database = await bench.database("service");
    const { people } = await seedWorld(bench, database);
    const service = await bench.start("service", database.url, { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" });
    const [person, ...others] = people as [Person, ...Person[]];
    const receiver = startReceiver(1);
    await register(service, person, receiver);
    const hanging = await startHanging(service, database, others.slice(0, ORGANIZATIONS));

    const found: Record<string, { p50: number; p95: number; p99: number }[]> = { none: [], hanging: [] };
    for (let round = 0; round < ROUNDS; round += 1)
      for (const name of ["none", "hanging"]) {
        await hanging.set(name === "hanging");
        const delays = await delaysOf(service, person, receiver);
        const list = request("GET", "/api/todos", bearer(person.ownToken));
        const until = performance.now() + ROUND_MS;
        const p99 = await p99Of(service.url, list, () => performance.now() < until);
        found[name]?.push({ p50: percentile(delays, 0.5), p95: percentile(delays, 0.95), p99 });
      }
    console.log(
      `Medians of ${ROUNDS} rounds; ${ORGANIZATIONS} organizations with two receivers each that hang, ${PENDING} pending deliveries\n`,
    );
    printRow(["", "first attempt p50, ms", "p95", "GET /api/todos p99, ms"], { isHead: true });
    for (const [name, all] of Object.entries(found))
      printRow([
        name,
        ...(["p50", "p95", "p99"] as const).map((key) => median(all.map((one) => one[key])).toFixed(1)),
      ]);
  } finally {
    await bench.stop();
  }
}

/** Returns the delays in ms between the responses of changes and the arrival of their events. */
async function delaysOf(service: Target, person: Person, { state }: Receiver): Promise<number[]> {
  const delays: number[] = [];
  for (let at = 0; at < EVENTS; at += 1) {
    const title = crypto.randomUUID();
    await todo(service, person, title);
    const changedAt = performance.now();
    while (!state.arrivals.has(title)) await Bun.sleep(1);
    delays.push(Math.max(0, (state.arrivals.get(title) ?? 0) - changedAt));
    await Bun.sleep(20);
  }
  return delays;
}

/** Registers receivers that respond to one delivery, and gives them 10,000 pending ones. */
async function startHanging(service: Target, { sql }: Database, people: Person[]) {
  const receivers: Receiver[] = [];
  for (const person of people) {
    for (let at = 0; at < 2; at += 1) {
      const receiver = startReceiver(2 + receivers.length);
      await register(service, person, receiver);
      receivers.push(receiver);
    }
    await todo(service, person, "first");
  }
  while (receivers.some(({ state }) => state.arrivals.size === 0)) await Bun.sleep(20);
  await Bun.sleep(500);
  const theirs = "endpoint_id IN (SELECT id FROM webhook_endpoints WHERE url NOT LIKE 'http://127.0.0.1:%')";
  return {
    async set(isHanging: boolean): Promise<void> {
      // Ends the running attempts before their deliveries are deleted.
      for (const receiver of receivers) receiver.setHanging(false);
      await sql(
        `UPDATE webhook_endpoints SET next_turn_at = NULL WHERE ${theirs.replace("endpoint_id", "id")}`,
      );
      await Bun.sleep(2_000);
      for (const receiver of receivers) receiver.setHanging(isHanging);
      await sql(`DELETE FROM webhook_deliveries WHERE ${theirs} AND state = 'PENDING'`);
      if (isHanging)
        await sql(
          `INSERT INTO webhook_deliveries
             (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state, next_attempt_at)
           SELECT endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, 'PENDING', now()
           FROM (SELECT DISTINCT ON (endpoint_id) * FROM webhook_deliveries WHERE ${theirs}) d, generate_series(1, $1::int)`,
          [PENDING / receivers.length],
        );
      // Every round begins like the first: the receivers have just succeeded.
      await sql(
        `UPDATE webhook_endpoints SET next_turn_at = now(), turn_until = NULL, hour_attempts = 0, failing_since = NULL
         WHERE ${theirs.replace("endpoint_id", "id")}`,
      );
      await Bun.sleep(2_000);
    },
  };
}
