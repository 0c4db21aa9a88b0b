import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seedOf } from "../../../support/seeds.ts";
import { ensureServices } from "../../../support/services.ts";
import type { Figures } from "./case.ts";
import type { CaseResult, CaseToRun, WorkerOptions } from "./worker.ts";

/**
 * `bun run proof fuzz [--requests N] [--minutes M] [--seed S] [--workers W] [--short]`: calls every operation of the OpenAPI document
 * as every role, with valid, nearly valid and hostile input, on one service for each worker. The first finding of each kind and
 * operation is shrunk to a few requests and printed with the command that repeats it.
 */
const { values } = parseArgs({
  options: {
    requests: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    /** The seed of a single case, to repeat it. */
    case: { type: "string" },
    workers: { type: "string", default: String(Math.min(8, availableParallelism() + 1)) },
    /** Ends the run after this many findings. */
    findings: { type: "string", default: "10" },
    short: { type: "boolean", default: false },
    /** Seconds for which a finding is shrunk. */
    shrink: { type: "string" },
    /** Operations by their ids, separated by commas. */
    only: { type: "string" },
  },
});
const options: WorkerOptions = {
  only: values.only?.split(",") ?? null,
  shrinkSeconds: Number(values.shrink ?? (values.short ? 20 : 120)),
};
const MAX_FINDINGS = Number(values.findings);
const wanted = Number(
  values.requests ?? (values.minutes ? Number.POSITIVE_INFINITY : values.short ? 12_000 : 200_000),
);
const endsAt = performance.now() + Number(values.minutes ?? (values.short ? 1.5 : 24 * 60)) * 60_000;
const maxCases = values.case === undefined ? Number.POSITIVE_INFINITY : 1;
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
  const { operations } = await import("./operations.ts");
  const total: Figures = { requests: 0, statuses: new Map(), reached: new Map() };
  const started = performance.now();
  let findings = 0;
  let cases = 0;
  let begun = 0;
  /** Kinds and operations of findings: one cause is reported once, and does not hide others. */
  const known = new Set<string>();
  const hasEnded = () => total.requests >= wanted || performance.now() >= endsAt || findings >= MAX_FINDINGS;
  const nextCase = (): CaseToRun | null => {
    if (hasEnded() || begun >= maxCases) return null;
    begun += 1;
    const seed = values.case === undefined ? seedOf(first, begun) : Number(values.case);
    return { seed, known: [...known] };
  };
  const take = ({ figures, found }: CaseResult) => {
    const before = total.requests;
    add(total, figures);
    cases += 1;
    // Another worker may have found the same in the meantime.
    if (found !== null && !known.has(found.cause)) {
      known.add(found.cause);
      findings += 1;
      const [shrunk, ...rest] = found.said;
      console.log(
        `\nFinding ${findings} after ${before} to ${total.requests} requests (case ${cases}), ${shrunk}`,
      );
      console.log(rest.join("\n"));
    }
    if (cases % 50 === 0) console.log(`${total.requests} requests, ${findings} findings`);
  };
  const codes = await Promise.all(
    Array.from({ length: Math.min(maxCases, Number(values.workers)) }, () => work(nextCase, take)),
  );
  // A worker that broke off has judged nothing since.
  findings += codes.filter((code) => code !== 0).length;
  const seconds = (performance.now() - started) / 1000;
  const statuses = [...total.statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status}: ${count}`);
  const asked = operations.filter(({ id }) => options.only?.includes(id) ?? true);
  const never = asked.filter(({ id }) => !total.reached.has(id)).map(({ id }) => id);
  console.log(`${total.requests} requests in ${cases} cases, seed ${first}, ${Math.round(seconds)} s`);
  console.log(`statuses: ${statuses.join(", ")}`);
  console.log(
    `${asked.length - never.length} of ${asked.length} operations succeeded; never: ${never.join(", ") || "none"}`,
  );
  console.log(`${findings} findings`);
  return findings;
}

/** Starts a process that runs cases until there is no next one; returns its exit code. */
async function work(nextCase: () => CaseToRun | null, take: (result: CaseResult) => void): Promise<number> {
  const child = Bun.spawn(["bun", join(import.meta.dir, "worker.ts"), JSON.stringify(options)], {
    env: process.env,
    stdio: ["ignore", "inherit", "inherit"],
    ipc(message: "ready" | CaseResult) {
      if (message !== "ready") take(message);
      child.send(nextCase());
    },
  });
  services.guard(child.pid);
  return child.exited;
}

function add(total: Figures, { requests, statuses, reached }: Figures) {
  total.requests += requests;
  for (const [status, count] of statuses)
    total.statuses.set(status, (total.statuses.get(status) ?? 0) + count);
  for (const [id, count] of reached) total.reached.set(id, (total.reached.get(id) ?? 0) + count);
}
