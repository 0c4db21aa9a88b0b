import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seedOf } from "../../../support/seeds.ts";
import { ensureServices } from "../../../support/services.ts";
import { BY_PASSKEY, type RunCounts } from "./case.ts";
import type { CaseResult, CaseToRun, WorkerOptions } from "./worker.ts";

/**
 * `bun run proof fuzz [--requests N] [--minutes M] [--seed S] [--workers W] [--short]` finds server errors,
 * undocumented responses, disclosed data, and writes without permission or event. It sends valid, nearly valid and
 * hostile requests to every operation of the OpenAPI document, as every role. Each worker has its own service. The
 * first finding of each kind and operation is shrunk to a few requests and printed with the command that repeats it.
 */
const { values } = parseArgs({
  options: {
    requests: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    /** The seed of a case, if only this case is to be run. */
    case: { type: "string" },
    workers: { type: "string", default: String(Math.min(8, availableParallelism() + 1)) },
    /** The number of findings after which the run ends. */
    findings: { type: "string", default: "10" },
    short: { type: "boolean", default: false },
    /** The maximum time in seconds to shrink a finding. */
    shrink: { type: "string" },
    /** Ids of the operations to call, separated by commas. */
    only: { type: "string" },
  },
});
const options: WorkerOptions = {
  only: values.only?.split(",") ?? null,
  shrinkSeconds: Number(values.shrink ?? (values.short ? 20 : 120)),
};
const MAX_FINDINGS = Number(values.findings);
const maxRequests = Number(
  values.requests ?? (values.minutes ? Number.POSITIVE_INFINITY : values.short ? 12_000 : 200_000),
);
const minutes = Number(values.minutes ?? (values.short ? 1.5 : 24 * 60));
const maxCases = values.case === undefined ? Number.POSITIVE_INFINITY : 1;
const runSeed = Number(values.seed ?? Math.floor(Math.random() * 1e9));

const services = await ensureServices();
let exitCode = 1;
try {
  exitCode = (await fuzz()) === 0 ? 0 : 1;
} finally {
  await services.stop();
}
process.exit(exitCode);

async function fuzz(): Promise<number> {
  const { operations } = await import("./operations.ts");
  const total: RunCounts = { requests: 0, statuses: new Map(), succeeded: new Map() };
  const started = performance.now();
  /**
   * The end of the run. It is counted from when the first worker is ready, which takes a minute on an overloaded
   * machine.
   */
  let endsAt = Number.POSITIVE_INFINITY;
  let findings = 0;
  let startedCases = 0;
  let completedCases = 0;
  /**
   * The causes of findings (kind and operation) that were reported. Each is reported once, so that one cause does
   * not hide others.
   */
  const reportedCauses = new Set<string>();
  const hasEnded = () =>
    total.requests >= maxRequests || performance.now() >= endsAt || findings >= MAX_FINDINGS;
  const nextCase = (): CaseToRun | null => {
    endsAt = Math.min(endsAt, performance.now() + minutes * 60_000);
    if (hasEnded() || startedCases >= maxCases) return null;
    startedCases += 1;
    const seed = values.case === undefined ? seedOf(runSeed, startedCases) : Number(values.case);
    return { seed, reportedCauses: [...reportedCauses] };
  };
  const handleResult = ({ counts, finding }: CaseResult) => {
    const before = total.requests;
    add(total, counts);
    completedCases += 1;
    // Another worker may have reported the same cause since.
    if (finding !== null && !reportedCauses.has(finding.cause)) {
      reportedCauses.add(finding.cause);
      findings += 1;
      const [summary, ...details] = finding.lines;
      console.log(
        `\nFinding ${findings} after ${before} to ${total.requests} requests (case ${completedCases}), ${summary}`,
      );
      console.log(details.join("\n"));
    }
    if (completedCases % 50 === 0) console.log(`${total.requests} requests, ${findings} findings`);
  };
  const codes = await Promise.all(
    Array.from({ length: Math.min(maxCases, Number(values.workers)) }, () =>
      runWorker(nextCase, handleResult),
    ),
  );
  // A crashed worker has checked nothing since its crash, so the crash counts as a finding.
  findings += codes.filter((code) => code !== 0).length;
  const seconds = (performance.now() - started) / 1000;
  const statuses = [...total.statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status}: ${count}`);
  const called = operations.filter(({ id }) => options.only?.includes(id) ?? true);
  const never = called.filter(({ id }) => !total.succeeded.has(id)).map(({ id }) => id);
  console.log(
    `${total.requests} requests in ${completedCases} cases, seed ${runSeed}, ${Math.round(seconds)} s`,
  );
  console.log(`statuses: ${statuses.join(", ")}`);
  console.log(
    `${called.length - never.length} of ${called.length} operations succeeded; never: ${never.join(", ") || "none"}`,
  );
  const byPasskey = [...total.succeeded].filter(([name]) => name.endsWith(BY_PASSKEY)).sort();
  console.log(`succeeded${byPasskey.map(([name, times]) => ` ${name} ${times}`) || " by passkey: none"}`);
  // A run that checked nothing must not count as a success.
  if (completedCases === 0) findings += 1;
  console.log(completedCases === 0 ? "No case was completed" : `${findings} findings`);
  return findings;
}

/** Starts a process that runs cases until there are no more. Returns its exit code. */
async function runWorker(
  nextCase: () => CaseToRun | null,
  handleResult: (result: CaseResult) => void,
): Promise<number> {
  const child = Bun.spawn(["bun", join(import.meta.dir, "worker.ts"), JSON.stringify(options)], {
    env: process.env,
    stdio: ["ignore", "inherit", "inherit"],
    ipc(message: "ready" | CaseResult) {
      if (message !== "ready") handleResult(message);
      child.send(nextCase());
    },
  });
  services.guard(child.pid);
  return child.exited;
}

function add(total: RunCounts, { requests, statuses, succeeded }: RunCounts) {
  total.requests += requests;
  for (const [status, count] of statuses)
    total.statuses.set(status, (total.statuses.get(status) ?? 0) + count);
  for (const [id, count] of succeeded) total.succeeded.set(id, (total.succeeded.get(id) ?? 0) + count);
}
