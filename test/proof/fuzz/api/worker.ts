import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { shrinkFor } from "../../../support/shrinking.ts";
import { type Case, type Figures, runCase } from "./case.ts";
import { anyRequest } from "./requests.ts";
import { startTested } from "./tested.ts";

/** What a worker is started with, as JSON in its last argument. */
export type WorkerOptions = { only: string[] | null; shrinkSeconds: number };
/** A case by its seed, and the causes of findings that are no longer reported. */
export type CaseToRun = { seed: number; known: string[] };
/** The result of a case; `said` describes a finding and its shrunk sequence. */
export type CaseResult = { figures: Figures; found: { cause: string; said: string[] } | null };

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

process.on("message", async (next: CaseToRun | null) => {
  if (next !== null) return process.send?.(await fuzzCase(next));
  await tested.stop();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.("ready");

/** Runs the case of a seed and shrinks the finding, if there is one. */
async function fuzzCase({ seed, known }: CaseToRun): Promise<CaseResult> {
  const figures: Figures = { requests: 0, statuses: new Map(), reached: new Map() };
  let length = 0;
  let cause = "";
  const property = fc.asyncProperty(
    anyCase,
    shrinkFor(shrinkSeconds * 1000, async (one) => {
      const before = figures.requests;
      // Shrinking must not end with another finding.
      const isNew = (found: string) => (cause === "" ? !known.includes(found) : found === cause);
      const finding = await runCase(tested, one, figures, isNew);
      if (finding === null) return;
      cause = finding.cause;
      length = figures.requests - before;
      throw new Error(`${finding.kind}: ${finding.what}`);
    }),
  );
  const result = await fc.check(property, { seed, numRuns: 1 });
  if (!result.failed) return { figures, found: null };
  const left = result.counterexample?.[0].plans.slice(0, length) ?? [];
  const said = [
    `shrunk to ${left.length}:`,
    String(result.errorInstance).replace(/^Error: /, ""),
    ...left.map((plan) => `  ${JSON.stringify(plan).slice(0, 600)}`),
    `  Repeat: bun run proof fuzz --case ${seed}${only === null ? "" : ` --only ${only.join()}`}`,
  ];
  return { figures, found: { cause, said } };
}
