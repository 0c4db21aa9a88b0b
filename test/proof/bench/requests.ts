import { type Client, fetchOnce, runLoad } from "./load.ts";
import { type Scenario, type Side, scenarios } from "./scenarios.ts";
import type { Database } from "./seed.ts";
import { inTurns, median, printRow, ROUNDS, ratios } from "./stats.ts";
import { startBench, type Target } from "./targets.ts";
import { CONNECTIONS, HELD_NOWHERE, seedWorld } from "./world.ts";

const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 1_500);

/** The service or the baseline, with its clients. */
type Runner = { side: Side; target: Target; clients: Client[] };
type Measure = {
  perSecond: number;
  p50: number;
  p99: number;
  cpu: number;
  postgres: number;
  statements: number;
};

/**
 * Compares the service with the baseline (baseline/server.ts). Each is a process with its own copy of one database
 * and 32 connections. They are measured in turns. Ratios are computed within each round, and the table contains
 * their medians.
 */
export async function reportRequests(wanted: string): Promise<void> {
  const chosen = scenarios.filter(({ name }) => name.includes(wanted));
  if (chosen.length === 0) throw new Error(`Nothing is called ${wanted}`);
  const bench = await startBench();
  const own = await bench.database("service");
  const world = await seedWorld(bench, own);
  await bench.release("service");
  const copy = await bench.database("baseline", "service");
  const sign = (sub: string) => bench.sign({ ...HELD_NOWHERE, sub, sid: crypto.randomUUID() });
  const sides = { service: { world, db: own, sign }, baseline: { world, db: copy, sign } };
  const targets = {
    service: await bench.start("service", own.url),
    baseline: await bench.start("baseline", copy.url),
  };

  async function measure({ name, before, settle, stretch = 1 }: Scenario, runner: Runner): Promise<Measure> {
    const { side, target, clients } = runner;
    await before?.(side);
    const start = await bench.counters(target);
    const { requests, seconds, p50, p99 } = await runLoad(target.url, clients, ROUND_MS * stretch);
    if (target === targets.service) await settle?.(side);
    const end = await bench.counters(target);
    if (requests === 0) throw new Error(`No request of ${name}`);
    const perRequest = (key: keyof typeof end) => (end[key] - start[key]) / requests;
    return {
      ...{ perSecond: requests / seconds, p50, p99, statements: perRequest("statements") },
      ...{ cpu: perRequest("cpu") * 1_000, postgres: perRequest("postgres") * 1_000 },
    };
  }

  try {
    console.log(`Medians of ${ROUNDS} rounds of ${ROUND_MS / 1_000} s, ${CONNECTIONS} connections\n`);
    printRow([...HEAD], { isHead: true });
    for (const scenario of chosen) {
      const runner = (name: "service" | "baseline"): Runner => {
        const side = sides[name];
        return { side, target: targets[name], clients: scenario.clients(side) };
      };
      const [service, baseline] = [runner("service"), runner("baseline")];
      await assertSame(scenario, service, baseline);
      for (const one of [service, baseline]) await measure(scenario, one);
      const found = await inTurns({
        service: () => measure(scenario, service),
        baseline: () => measure(scenario, baseline),
      });
      printRow(rowOf(scenario.name, found));
    }
    console.log(`\nIdle for 5 s, ${await idle(() => bench.counters(targets.service))}`);
  } finally {
    await bench.stop();
  }
}

const HEAD = [
  ...["work", "requests", "from … to", "CPU", "PostgreSQL's CPU, ms (baseline)", "statements (baseline)"],
  ...["p50", "p99"],
] as const;

function rowOf(name: string, { service, baseline }: Record<"service" | "baseline", Measure[]>): string[] {
  const of = (key: keyof Measure) => ratios(service, baseline, (one) => one[key]);
  const both = (key: keyof Measure, digits: number) =>
    `${median(service.map((one) => one[key])).toFixed(digits)} (${median(baseline.map((one) => one[key])).toFixed(digits)})`;
  const times = (key: keyof Measure) => median(of(key)).toFixed(2);
  const rates = of("perSecond");
  const range = `${Math.min(...rates).toFixed(2)} … ${Math.max(...rates).toFixed(2)}`;
  return [
    ...[name, times("perSecond"), range, times("cpu"), both("postgres", 2), both("statements", 1)],
    ...[times("p50"), times("p99")],
  ];
}

/** Measures the idle service, whose queue polls for jobs. */
async function idle(counters: () => Promise<Record<"cpu" | "postgres" | "statements", number>>) {
  const SECONDS = 5;
  const start = await counters();
  await Bun.sleep(SECONDS * 1_000);
  const end = await counters();
  const perSecond = (key: keyof typeof end) => (end[key] - start[key]) / SECONDS;
  return `a second: ${perSecond("statements").toFixed(0)} statements, CPU ${(perSecond("cpu") * 1_000).toFixed(0)} ms, PostgreSQL's ${(perSecond("postgres") * 1_000).toFixed(0)} ms`;
}

/** The tables to which the measured requests add rows. */
const WRITTEN = [
  ...["refresh_tokens", "audit_events", "user_invitations", "user_invitation_assignments"],
  ...["user_invitation_sends", "memberships", "membership_assignments", "notifications"],
];

/**
 * Sends one request to the service and to the baseline, and compares the relevant parts of the responses and the
 * numbers of rows added.
 * @throws if they differ: the baseline would do different work, and ratios would be meaningless
 */
async function assertSame(scenario: Scenario, service: Runner, baseline: Runner): Promise<void> {
  const [ours, bare] = [await outcomeOf(scenario, service), await outcomeOf(scenario, baseline)];
  if (Bun.deepEquals(ours, bare, true)) return;
  const shown = (outcome: unknown) => JSON.stringify(outcome).slice(0, 3_000);
  throw new Error(
    `The baseline returns another response for ${scenario.name}:\n${shown(ours)}\n${shown(bare)}`,
  );
}

async function outcomeOf({ before, comparable = JSON.parse }: Scenario, { side, target, clients }: Runner) {
  await before?.(side);
  const [client] = clients;
  const text = client?.next();
  if (client === undefined || text == null) throw new Error("Nothing to send");
  const earlier = await counts(side.db);
  const { head, body } = await fetchOnce(target.url, text);
  client.onResponse?.(head, body);
  const later = await counts(side.db);
  const rows = Object.entries(later).map(([table, count]) => [table, count - (earlier[table] ?? 0)]);
  return { status: head.slice(9, 12), response: body === "" ? null : comparable(body), rows };
}

async function counts(db: Database): Promise<Record<string, number>> {
  const jobs = "(SELECT count(*)::int FROM pgboss.job WHERE name = 'mail.send') AS jobs";
  const columns = WRITTEN.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const [row] = await db.sql<Record<string, number>>(`SELECT ${[...columns, jobs].join(", ")}`);
  return row ?? {};
}
