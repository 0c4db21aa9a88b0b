import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { ensureServices } from "../../support/services.ts";
import type { Case, Figures } from "./case.ts";

/**
 * `bun run fuzz [--requests N] [--minutes M] [--seed S] [--short]`: every operation of the OpenAPI document, as every
 * role, with valid, nearly valid and hostile input, against a service of its own. A finding is shrunk to a few requests
 * and printed with the command that repeats it.
 */
const { values } = parseArgs({
  options: {
    requests: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    /** After how many findings to end. */
    findings: { type: "string", default: "10" },
    short: { type: "boolean", default: false },
    /** For how many seconds a finding is shrunk. */
    shrink: { type: "string", default: "120" },
    /** Operations by their ids, separated by commas. */
    only: { type: "string" },
  },
});
/** How many requests one world sees: enough for sequences, few enough to be shrunk. */
const REQUESTS_PER_CASE = 150;
const only = values.only?.split(",");
const MAX_FINDINGS = Number(values.findings);

const wanted = Number(
  values.requests ?? (values.minutes ? Number.POSITIVE_INFINITY : values.short ? 4_000 : 200_000),
);
const endsAt = performance.now() + Number(values.minutes ?? (values.short ? 1.5 : 24 * 60)) * 60_000;
const first = Number(values.seed ?? Math.floor(Math.random() * 1e9));

const services = await ensureServices();
let exitCode = 1;
try {
  exitCode = (await fuzz()) === 0 ? 0 : 1;
} finally {
  await services.stop();
}
process.exit(exitCode);

async function fuzz(): Promise<number> {
  const { startTested } = await import("./tested.ts");
  const { runCase } = await import("./case.ts");
  const { anyRequest } = await import("./requests.ts");
  const { operations } = await import("./operations.ts");
  const folder = await mkdtemp(join(tmpdir(), "fuzz-"));
  const tested = await startTested(folder);
  const anyCase: fc.Arbitrary<Case> = fc.record({
    isProviderAway: fc.nat({ max: 9 }).map((number) => number === 9),
    hasPlatformAdmin: fc.boolean(),
    plans: fc.noBias(
      fc.array(
        anyRequest((id) => only === undefined || only.includes(id)),
        { minLength: 1, maxLength: REQUESTS_PER_CASE, size: "max" },
      ),
    ),
  });
  const figures: Figures = { requests: 0, statuses: new Map(), reached: new Map() };
  const started = performance.now();
  let findings = 0;
  let cases = 0;
  for (; figures.requests < wanted && performance.now() < endsAt && findings < MAX_FINDINGS; cases += 1) {
    const seed = first + cases;
    const before = figures.requests;
    let length = 0;
    let foundAt = Number.POSITIVE_INFINITY;
    const property = fc.asyncProperty(anyCase, async (one) => {
      // What is not tried any more counts as good, so that shrinking ends with what was found.
      if (performance.now() - foundAt > Number(values.shrink) * 1000) return;
      const asked = figures.requests;
      const finding = await runCase(tested, one, figures);
      if (finding === null) return;
      foundAt = Math.min(foundAt, performance.now());
      length = figures.requests - asked;
      throw new Error(`${finding.kind}: ${finding.what}`);
    });
    const result = await fc.check(property, {
      seed,
      numRuns: 1,
    });
    if (result.failed) {
      findings += 1;
      const left = result.counterexample?.[0].plans.slice(0, length) ?? [];
      console.log(
        `\nFinding ${findings} after ${before} to ${figures.requests} requests (case ${cases + 1}), shrunk to ${left.length}:`,
      );
      console.log(String(result.errorInstance).replace(/^Error: /, ""));
      for (const plan of left) console.log(`  ${JSON.stringify(plan).slice(0, 600)}`);
      console.log(`  Repeat: bun run fuzz --seed ${seed} --requests 1`);
    }
    if (cases % 50 === 49) console.log(`${figures.requests} requests, ${findings} findings`);
  }
  await tested.stop();
  await rm(folder, { recursive: true, force: true });
  const seconds = (performance.now() - started) / 1000;
  const statuses = [...figures.statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status}: ${count}`);
  const never = operations.filter(({ id }) => !figures.reached.has(id)).map(({ id }) => id);
  console.log(
    `${figures.requests} requests in ${cases} cases of seeds from ${first}, ${Math.round(seconds)} s`,
  );
  console.log(`statuses: ${statuses.join(", ")}`);
  console.log(
    `${operations.length - never.length} of ${operations.length} operations succeeded; never: ${never.join(", ") || "none"}`,
  );
  console.log(`${findings} findings`);
  return findings;
}
