import { cp } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { summary } from "./report.ts";
import { ensureServices } from "./services.ts";
import { TEST_TIMEOUT_MS } from "./slow-tests.ts";
import { mergeTimings } from "./timings.ts";

/**
 * `bun run test`: starts the shared services, runs all test files in parallel, and prints the failed tests and a last
 * line with the totals.
 */
const services = await ensureServices();
/** The number of test processes: one more than cores, because many tests wait, for example for a mail. */
const WORKERS = availableParallelism() + 1;
/** Each process of browser tests has a browser, which takes as much as another process. */
const BROWSER_WORKERS = Math.ceil(availableParallelism() / 2);
/** With these timings the slowest files start first. */
const TIMINGS = join(import.meta.dir, "../timings.json");
const measured = join(process.env.TMPDIR ?? tmpdir(), "timings.json");
await cp(TIMINGS, measured);
/** Test files share loaded modules, which saves a quarter of the time. Tests set their own timeouts. */
const parallel = (workers: number) => [
  `--parallel=${workers}`,
  "--no-isolate",
  `--timeout=${TEST_TIMEOUT_MS}`,
  `--timings=${measured}`,
  "--update-timings",
];
/** Files that compare times and run alone, after all others. */
const ALONE = ["test/abuse/neighbours.test.ts"];
const wanted = process.argv.slice(2);
const all = [...new Bun.Glob("test/**/*.test.ts").scanSync(".")].sort();
const inBrowser = all.filter((file) => file.startsWith("test/web/"));
const others = all.filter((file) => !ALONE.includes(file) && !inBrowser.includes(file));
const paths = (files: string[]) => files.map((file) => `./${file}`);
/** The arguments of each run of `bun test`. All files named on the command line are one run. */
const runs =
  wanted.length > 0
    ? [[...parallel(WORKERS), ...wanted]]
    : [
        [...parallel(WORKERS), ...paths(others)],
        [...parallel(BROWSER_WORKERS), ...paths(inBrowser)],
        [`--timeout=${TEST_TIMEOUT_MS}`, ...ALONE],
      ];

const interrupt = (code: number) => void services.stop().then(() => process.exit(code));
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const [name, code] of Object.entries(SIGNALS)) process.on(name, () => interrupt(code));
const { ppid } = process;
// If `bun run` is killed, this child process is not, so it looks at its parent.
setInterval(() => process.ppid !== ppid && interrupt(SIGNALS.SIGHUP), 500).unref();

const pass = async (stream: ReadableStream<Uint8Array>, out: NodeJS.WritableStream) => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    out.write(chunk);
  }
  return text;
};

/** Runs `bun test` with these arguments; returns its output and exit code. */
async function run(args: string[]) {
  const tests = Bun.spawn(["bun", "test", ...args], {
    // Bun passes on variables that were set at run time, as ensureServices does, only if `env` is given.
    env: { ...process.env },
    stdout: "pipe",
    stderr: "pipe",
    // The process runs in a separate session, so that the services can end the whole run if it is interrupted.
    detached: true,
  });
  services.guard(tests.pid);
  const texts = await Promise.all([pass(tests.stdout, process.stdout), pass(tests.stderr, process.stderr)]);
  return { output: texts.join(""), exitCode: await tests.exited };
}

const results: { output: string; exitCode: number }[] = [];
for (const args of runs) results.push(await run(args));
if (wanted.length === 0) await mergeTimings(TIMINGS, measured, all);
await services.stop();

console.log(summary(results));
process.exit(results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0);
