import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { shrinkFor } from "../../support/shrinking.ts";
import { type Case, type Figures, runCase } from "./case.ts";
import { anyRequest } from "./requests.ts";
import { startTested } from "./tested.ts";

/** What a worker is started with, as JSON in its last argument. */
export type WorkerOptions = { only: string[] | null; shrinkSeconds: number };
/** What a worker says of a case; `said` describes a finding and its shrunk sequence. */
export type CaseResult = { figures: Figures; said: string[] | null };

/** How many requests one world sees: enough for sequences, few enough to be shrunk. */
const REQUESTS_PER_CASE = 150;
const { only, shrinkSeconds } = JSON.parse(process.argv.at(-1) ?? "") as WorkerOptions;

const folder = await mkdtemp(join(tmpdir(), "fuzz-"));
const tested = await startTested(folder);
const anyCase: fc.Arbitrary<Case> = fc.record({
  isProviderAway: fc.nat({ max: 9 }).map((number) => number === 9),
  hasPlatformAdmin: fc.boolean(),
  plans: fc.noBias(
    fc.array(
      anyRequest((id) => only === null || only.includes(id)),
      { minLength: 1, maxLength: REQUESTS_PER_CASE, size: "max" },
    ),
  ),
});

process.on("message", async (seed: number | null) => {
  if (seed !== null) return process.send?.(await fuzzCase(seed));
  await tested.stop();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.("ready");

/** Runs the case of a seed and shrinks what it finds. */
async function fuzzCase(seed: number): Promise<CaseResult> {
  const figures: Figures = { requests: 0, statuses: new Map(), reached: new Map() };
  let length = 0;
  const property = fc.asyncProperty(
    anyCase,
    shrinkFor(shrinkSeconds * 1000, async (one) => {
      const before = figures.requests;
      const finding = await runCase(tested, one, figures);
      if (finding === null) return;
      length = figures.requests - before;
      throw new Error(`${finding.kind}: ${finding.what}`);
    }),
  );
  const result = await fc.check(property, { seed, numRuns: 1 });
  if (!result.failed) return { figures, said: null };
  const left = result.counterexample?.[0].plans.slice(0, length) ?? [];
  return {
    figures,
    said: [
      `shrunk to ${left.length}:`,
      String(result.errorInstance).replace(/^Error: /, ""),
      ...left.map((plan) => `  ${JSON.stringify(plan).slice(0, 600)}`),
      `  Repeat: bun run fuzz --seed ${seed} --requests 1`,
    ],
  };
}
