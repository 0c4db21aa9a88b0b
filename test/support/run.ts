import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ensureServices } from "./services.ts";

/** `bun run test`: the services once, all test files in parallel, and a closing line that counts. */
const stop = await ensureServices();
/** More than there are cores: many tests wait, for an outage to end or a mail to come back. */
const WORKERS = Math.max(4, 2 * availableParallelism());
/** The files that take longest come first; with `--update-timings` they are measured anew. */
const TIMINGS = join(import.meta.dir, "../timings.json");
/** Files share what is loaded, which is a quarter of the time. What a test waits for is told by the test. */
const FLAGS = [`--parallel=${WORKERS}`, "--no-isolate", "--timeout=60000", `--timings=${TIMINGS}`];
const tests = Bun.spawn(["bun", "test", ...FLAGS, ...process.argv.slice(2)], {
  // What ensureServices has set is only passed on when it is named.
  env: { ...process.env },
  stdout: "pipe",
  stderr: "pipe",
});
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
await stop();

const count = (word: string) => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}$`, "m"))?.[1] ?? 0);
console.log(`${count("pass")} passed, ${count("fail")} failed`);
process.exit(exitCode);
