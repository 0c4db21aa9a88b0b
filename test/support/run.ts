import { availableParallelism } from "node:os";
import { join } from "node:path";
import { summary } from "./report.ts";
import { ensureServices } from "./services.ts";

/**
 * `bun run test`: starts the services once, runs all test files in parallel, and prints the names of failed tests and a
 * final line with the totals.
 */
const services = await ensureServices();
/** More than there are cores, because many tests wait: for the end of an outage, or for a mail. */
const WORKERS = Math.max(4, 2 * availableParallelism());
/** The slowest files run first; `--update-timings` measures them again. */
const TIMINGS = join(import.meta.dir, "../timings.json");
/** Files share loaded modules, which saves a quarter of the time. Tests set their own timeouts. */
const FLAGS = [`--parallel=${WORKERS}`, "--no-isolate", "--timeout=180000", `--timings=${TIMINGS}`];
/** Files that compare times, so that no other test may run beside them. They run after the others. */
const ALONE = ["test/abuse/neighbours.test.ts"];
const wanted = process.argv.slice(2);
const all = [...new Bun.Glob("test/**/*.test.ts").scanSync(".")].sort();
const others = all.filter((file) => !ALONE.includes(file)).map((file) => `./${file}`);
/** The arguments of each run of `bun test`. Everything that is named on the command line is one run. */
const runs =
  wanted.length > 0
    ? [[...FLAGS, ...wanted]]
    : [
        [...FLAGS, ...others],
        ["--timeout=180000", ...ALONE],
      ];

const interrupt = (code: number) => void services.stop().then(() => process.exit(code));
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const [name, code] of Object.entries(SIGNALS)) process.on(name, () => interrupt(code));
const { ppid } = process;
// When `bun run` is killed, its child is not.
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

/** Runs `bun test` with these arguments; returns what it printed, and its exit code. */
async function run(args: string[]) {
  const tests = Bun.spawn(["bun", "test", ...args], {
    // What ensureServices has set is only passed on when it is named.
    env: { ...process.env },
    stdout: "pipe",
    stderr: "pipe",
    // In its own session, so that the services end the whole run if it is interrupted.
    detached: true,
  });
  services.guard(tests.pid);
  const texts = await Promise.all([pass(tests.stdout, process.stdout), pass(tests.stderr, process.stderr)]);
  return { output: texts.join(""), exitCode: await tests.exited };
}

const results: { output: string; exitCode: number }[] = [];
for (const args of runs) results.push(await run(args));
await services.stop();

console.log(summary(results));
process.exit(results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0);
