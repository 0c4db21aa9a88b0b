import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { shrinkFor } from "../../../support/shrinking.ts";
import { type Case, type RunCounts, runCase } from "./case.ts";
import { anyRequest } from "./requests.ts";
import { startTarget } from "./target.ts";

/** The options of a worker, passed as JSON in its last argument. */
export type WorkerOptions = { only: string[] | null; shrinkSeconds: number };
/** The seed of a case, and the causes of findings that were reported already. */
export type CaseToRun = { seed: number; reportedCauses: string[] };
/** The result of a case. `lines` describe a finding and its shrunk sequence of requests. */
export type CaseResult = { counts: RunCounts; finding: { cause: string; lines: string[] } | null };

/** The maximum number of requests of a case: enough for sequences, and few enough to be shrunk. */
const REQUESTS_PER_CASE = 150;
const { only, shrinkSeconds } = JSON.parse(process.argv.at(-1) ?? "") as WorkerOptions;

const folder = await mkdtemp(join(tmpdir(), "fuzz-"));
const target = await startTarget(folder);
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
  await target.stop();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.("ready");

/** Runs the case of a seed. Shrinks the finding, if there is one. */
async function fuzzCase({ seed, reportedCauses }: CaseToRun): Promise<CaseResult> {
  const counts: RunCounts = { requests: 0, statuses: new Map(), succeeded: new Map() };
  let length = 0;
  let cause = "";
  const property = fc.asyncProperty(
    anyCase,
    shrinkFor(shrinkSeconds * 1000, async (candidate) => {
      const before = counts.requests;
      // Shrinking keeps only findings with the same cause.
      const isNew = (other: string) => (cause === "" ? !reportedCauses.includes(other) : other === cause);
      const finding = await runCase(target, candidate, counts, isNew);
      if (finding === null) return;
      cause = finding.cause;
      length = counts.requests - before;
      throw new Error(`${finding.kind}: ${finding.what}`);
    }),
  );
  const result = await fc.check(property, { seed, numRuns: 1 });
  if (!result.failed) return { counts, finding: null };
  const plans = result.counterexample?.[0].plans.slice(0, length) ?? [];
  const lines = [
    `shrunk to ${plans.length} requests:`,
    String(result.errorInstance).replace(/^Error: /, ""),
    ...plans.map((plan) => `  ${JSON.stringify(plan).slice(0, 600)}`),
    `  Repeat: bun run proof fuzz --case ${seed}${only === null ? "" : ` --only ${only.join()}`}`,
  ];
  return { counts, finding: { cause, lines } };
}
