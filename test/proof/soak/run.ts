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
 * `bun run proof soak [minutes] [--seed S] [--faults N] [--rate R]`: three instances on one PostgreSQL with SMTP, storage and
 * payments, a steady mix of work by people of all roles, and faults; at the end nothing may be lost, doubled or left
 * over. The plan of work and faults depends on the seed alone.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    /** How many faults; as a rule one in nine seconds. */
    faults: { type: "string" },
    /** Pieces of work a second. */
    rate: { type: "string", default: "10" },
    /** Words of the names of faults, separated by commas; as a rule all happen. */
    only: { type: "string" },
    short: { type: "boolean", default: false },
  },
});
const minutes = Number(positionals[0] ?? (values.short ? 1 : 30));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const count = Number(values.faults ?? Math.ceil((minutes * 60) / 9));
const rate = Number(values.rate);

const wanted = values.only?.split(",") ?? [""];

const folder = await mkdtemp(join(tmpdir(), "soak-"));
const plans = join(folder, "plans.json");
// Seats that a run can fill.
const enterprise = { key: "enterprise", limits: { members: SEATS }, features: ["audit"], paid: true };
await writeFile(plans, JSON.stringify({ ...PLANS, plans: [...PLANS.plans.slice(0, 3), enterprise] }));
const canMoveClocks = (await findLibfaketime()) !== null;
if (!canMoveClocks) console.log("No clock is moved: libfaketime is not installed");
let found = ["the run did not end"];
try {
  const { soak } = await import("./soak.ts");
  const names = Object.keys(FAULTS)
    .filter((name) => canMoveClocks || name !== "move a clock")
    .filter((name) => wanted.some((word) => name.includes(word)));
  const faults = planOf(names, { seed, count, minutes });
  found = await soak({ minutes, seed, rate, faults, plans, folder });
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const what of found.slice(0, 40)) console.log(`Violated: ${what.slice(0, 400)}`);
console.log(`${found.length} violations, seed ${seed}`);
process.exit(found.length === 0 ? 0 : 1);
