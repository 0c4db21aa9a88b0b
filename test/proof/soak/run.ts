import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PLANS } from "../../support/plans.ts";
import { findLibfaketime } from "./clocks.ts";
import { FAULTS } from "./faults.ts";
import { SEATS } from "./invariants.ts";
import { planOf } from "./plan.ts";

/**
 * `bun run proof soak [minutes] [--seed S] [--faults N] [--rate R]` finds effects that are lost, doubled or left over
 * when parts of a deployment fail, and leaks. It runs three instances on one PostgreSQL with SMTP, storage and
 * payments. Simulated people of all roles send requests at a constant rate while dependencies fail. At the end nothing
 * may be lost, doubled or left over. The plan of requests and faults depends only on the seed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    /** The number of faults. Default: one in nine seconds. */
    faults: { type: "string" },
    /** The number of work items per second. */
    rate: { type: "string", default: "10" },
    /** Words in the names of faults, separated by commas. Default: all faults are included. */
    only: { type: "string" },
    short: { type: "boolean", default: false },
  },
});
const minutes = Number(positionals[0] ?? (values.short ? 1 : 30));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const count = Number(values.faults ?? Math.ceil((minutes * 60) / 9));
const rate = Number(values.rate);

const words = values.only?.split(",") ?? [""];

const folder = await mkdtemp(join(tmpdir(), "soak-"));
const plans = join(folder, "plans.json");
// The plan of the organizations. It has so few seats that a run fills them.
const enterprise = { key: "enterprise", limits: { members: SEATS }, features: ["audit"], paid: true };
await writeFile(plans, JSON.stringify({ ...PLANS, plans: [...PLANS.plans.slice(0, 3), enterprise] }));
const canMoveClocks = (await findLibfaketime()) !== null;
if (!canMoveClocks) console.log("No clock is moved: libfaketime is not installed");
let violations = ["the run did not end"];
try {
  const { soak } = await import("./soak.ts");
  const names = Object.keys(FAULTS)
    .filter((name) => canMoveClocks || name !== "move a clock")
    .filter((name) => words.some((word) => name.includes(word)));
  const faults = planOf(names, { seed, count, minutes });
  violations = await soak({ minutes, seed, rate, faults, plans, folder });
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const violation of violations.slice(0, 40)) console.log(`Violated: ${violation.slice(0, 400)}`);
console.log(`${violations.length} violations, seed ${seed}`);
process.exit(violations.length === 0 ? 0 : 1);
