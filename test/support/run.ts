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
const tests = Bun.spawn(["bun", "test", ...FLAGS, ...process.argv.slice(2)], {
  // What ensureServices has set is only passed on when it is named.
  env: { ...process.env },
  stdout: "pipe",
  stderr: "pipe",
  // In its own session, so that the services end the whole run if it is interrupted.
  detached: true,
});
services.guard(tests.pid);

const interrupt = (code: number) => void services.stop().then(() => process.exit(code));
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const [name, code] of Object.entries(SIGNALS)) process.on(name, () => interrupt(code));
const { ppid } = process;
// When `bun run` is killed, its child is not.
setInterval(() => process.ppid !== ppid && interrupt(SIGNALS.SIGHUP), 500).unref();

let output = "";
const pass = async (stream: ReadableStream<Uint8Array>, out: NodeJS.WritableStream) => {
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    output += decoder.decode(chunk, { stream: true });
    out.write(chunk);
  }
};
await Promise.all([pass(tests.stdout, process.stdout), pass(tests.stderr, process.stderr)]);
const exitCode = await tests.exited;
await services.stop();

console.log(summary(output, exitCode));
process.exit(exitCode);
