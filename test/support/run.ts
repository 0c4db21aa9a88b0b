import { availableParallelism } from "node:os";
import { join } from "node:path";
import { summary } from "./report.ts";
import { ensureServices } from "./services.ts";

/**
 * `bun run test`: the services once, all test files in parallel, the names of the tests that failed, and a closing line
 * that counts.
 */
const services = await ensureServices();
/** More than there are cores: many tests wait, for an outage to end or a mail to come back. */
const WORKERS = Math.max(4, 2 * availableParallelism());
/** The files that take longest come first; with `--update-timings` they are measured anew. */
const TIMINGS = join(import.meta.dir, "../timings.json");
/** Files share what is loaded, which is a quarter of the time. What a test waits for is told by the test. */
const FLAGS = [`--parallel=${WORKERS}`, "--no-isolate", "--timeout=180000", `--timings=${TIMINGS}`];
const tests = Bun.spawn(["bun", "test", ...FLAGS, ...process.argv.slice(2)], {
  // What ensureServices has set is only passed on when it is named.
  env: { ...process.env },
  stdout: "pipe",
  stderr: "pipe",
  // Of a session of its own: whatever interrupts the run, the services end it as a whole.
  detached: true,
});
services.guard(tests.pid);

const interrupt = (code: number) => void services.stop().then(() => process.exit(code));
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const [name, code] of Object.entries(SIGNALS)) process.on(name, () => interrupt(code));
const { ppid } = process;
// `bun run` that was killed takes nobody along.
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
