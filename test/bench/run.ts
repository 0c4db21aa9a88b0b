import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureServices } from "../support/services.ts";
import { reportImages } from "./images.ts";
import { reportLatency } from "./latency.ts";
import { reportLists } from "./lists.ts";
import { type Client, runLoad } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import { reportStreams } from "./streams.ts";

/**
 * `bun run bench [words of a scenario's name]`: the service against the floor, in turns in one run, as ratios, so
 * that a busy or slow machine weighs on both alike. Both are processes of their own on one database.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 1500);

type Target = { url: string; pid: number };
type Measure = { perSecond: number; cpuMicroseconds: number };

async function main() {
  const wanted = process.argv.slice(2).join(" ");
  // Alone, cleaning images needs no service.
  if ("images".includes(wanted)) reportImages();
  if (wanted === "images") return;

  const services = await ensureServices();
  // Loaded late: they need the services in the environment.
  const [{ startService }, { scenarios }] = await Promise.all([
    import("../support/service.ts"),
    import("./scenarios.ts"),
  ]);

  const t = await startService({}, { keep: true });
  const [instance] = await t.cluster(1);
  const floor = Bun.spawn(["bun", join(import.meta.dir, "floor.ts")], {
    env: { ...process.env, DATABASE_URL: t.databaseUrl },
    stdout: "pipe",
  });
  const { value } = await floor.stdout.getReader().read();
  const floorUrl: string = JSON.parse(new TextDecoder().decode(value)).url;
  if (instance === undefined) throw new Error("No instance");

  console.log(
    `${"scenario".padEnd(40)} service/s   floor/s   requests   CPU   (medians of ${ROUNDS} rounds; aims ≥ 0.85, ≤ 1.30)`,
  );
  for (const scenario of scenarios.filter(({ name }) => name.includes(wanted))) {
    await report(
      scenario,
      await scenario.prepare(t),
      { url: instance.url, pid: instance.pid },
      { url: floorUrl, pid: floor.pid },
    );
  }
  if ("latency".includes(wanted)) await reportLatency(t, instance.url);
  if ("lists".includes(wanted)) await reportLists(t);
  if ("query plans".includes(wanted)) await grownPlans();
  if ("limit plans".includes(wanted)) await (await import("./limit-plans.ts")).reportLimitPlans();
  if ("stream".includes(wanted)) await reportStreams();
  if ("uploads".includes(wanted)) await (await import("./uploads.ts")).reportUploads(t, instance.url);
  // Loaded late, as the scenarios are.
  if ("audit log".includes(wanted)) await (await import("./audit.ts")).reportAudit(t, instance);
  floor.kill();
  await t.stop();
  await services.stop();
  process.exit(0);
}

/** The test of the plans of all statements, with as much of everything as is promised to be quick. */
async function grownPlans(): Promise<void> {
  const tests = Bun.spawn(["bun", "test", "--timeout=3600000", "test/core/plans/query-plans.test.ts"], {
    cwd: join(import.meta.dir, "../.."),
    env: { ...process.env, BENCH_PLANS: "1" },
    stdout: "inherit",
    stderr: "inherit",
  });
  await tests.exited;
}

async function report(
  { name }: Scenario,
  loads: { service: Client[]; floor: Client[] },
  service: Target,
  floor: Target,
): Promise<void> {
  await measure(service, loads.service, ROUND_MS / 2);
  await measure(floor, loads.floor, ROUND_MS / 2);
  const rounds: { ours: Measure; bare: Measure }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await measure(service, loads.service, ROUND_MS);
    const bare = await measure(floor, loads.floor, ROUND_MS);
    rounds.push({ ours, bare });
  }
  const rate = median(rounds.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
  const cpu = median(rounds.map(({ ours, bare }) => ours.cpuMicroseconds / bare.cpuMicroseconds));
  const serviceRate = median(rounds.map(({ ours }) => ours.perSecond)).toFixed(0);
  const floorRate = median(rounds.map(({ bare }) => bare.perSecond)).toFixed(0);
  console.log(
    `${name.padEnd(40)} ${serviceRate.padStart(9)} ${floorRate.padStart(9)} ${rate.toFixed(2).padStart(10)} ${cpu.toFixed(2).padStart(5)}`,
  );
}

async function measure(target: Target, clients: Client[], milliseconds: number): Promise<Measure> {
  const before = await cpuSeconds(target.pid);
  const { requests, seconds } = await runLoad(target.url, clients, milliseconds);
  const used = (await cpuSeconds(target.pid)) - before;
  return { perSecond: requests / seconds, cpuMicroseconds: (used / requests) * 1e6 };
}

/** CPU time that a process has used, all threads, in seconds: Linux counts it in hundredths. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await main();
