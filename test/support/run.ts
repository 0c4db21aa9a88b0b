import { cp } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterSecondRun, failedFiles, mayBeChance, summary } from "./report.ts";
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
/** The number of further processes, for tests in a browser. They run beside the others, which wait for much else. */
const BROWSER_WORKERS = Math.ceil(availableParallelism() / 2);
/** With these timings the slowest files start first. Each run measures into a copy. */
const TIMINGS = join(import.meta.dir, "../timings.json");
const copyOf = (name: string) => join(process.env.TMPDIR ?? tmpdir(), `timings-${name}.json`);
/** Test files share loaded modules, which saves a quarter of the time. Tests set their own timeouts. */
async function parallel(name: string, workers: number, ...files: string[]): Promise<string[]> {
  await cp(TIMINGS, copyOf(name));
  return [
    `--parallel=${workers}`,
    "--no-isolate",
    `--timeout=${TEST_TIMEOUT_MS}`,
    `--timings=${copyOf(name)}`,
    "--update-timings",
    ...files,
  ];
}
/** Files that compare times and run alone, after all others. */
const ALONE = ["test/abuse/neighbours.test.ts"];
/**
 * Files whose service has a product. Its manifest is read when a process starts, so they have processes of their own.
 */
const OF_PRODUCT = /^test\/(?:features\/product-api\/|web\/product)/;
const PRODUCT = { PRODUCT_FILE: join(import.meta.dir, "../../examples/inspections/product.json") };
const wanted = process.argv.slice(2);
const all = [...new Bun.Glob("test/**/*.test.ts").scanSync(".")].sort();
const ofProduct = all.filter((file) => OF_PRODUCT.test(file));
const inBrowser = all.filter((file) => file.startsWith("test/web/") && !ofProduct.includes(file));
const others = all.filter((file) => ![...ALONE, ...inBrowser, ...ofProduct].includes(file));
const paths = (files: string[]) => files.map((file) => `./${file}`);

const interrupt = (code: number) => void services.stop().then(() => process.exit(code));
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const [name, code] of Object.entries(SIGNALS)) process.on(name, () => interrupt(code));
const { ppid } = process;
// If `bun run` is killed, this child process is not, so it looks at its parent.
setInterval(() => process.ppid !== ppid && interrupt(SIGNALS.SIGHUP), 500).unref();

const pass = async (stream: ReadableStream<Uint8Array>, out: NodeJS.WritableStream | null) => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    out?.write(chunk);
  }
  return text;
};

/** Runs `bun test` with these arguments; returns its output and exit code. */
async function run(args: string[], { isShown = true, env = {} } = {}) {
  const tests = Bun.spawn(["bun", "test", ...args], {
    // Bun passes on variables that were set at run time, as ensureServices does, only if `env` is given.
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
    // The process runs in a separate session, so that the services can end the whole run if it is interrupted.
    detached: true,
  });
  services.guard(tests.pid);
  const texts = await Promise.all([
    pass(tests.stdout, isShown ? process.stdout : null),
    pass(tests.stderr, isShown ? process.stderr : null),
  ]);
  return { output: texts.join(""), exitCode: await tests.exited };
}

const runOfProduct = async (files: string[], isShown: boolean) =>
  run(await parallel("product", 1, ...paths(files)), { isShown, env: PRODUCT });

/** Runs all tests. The output of those that run at the same time as the others is shown after theirs. */
async function runAll() {
  const browserTests = run(await parallel("browser", BROWSER_WORKERS, ...paths(inBrowser)), {
    isShown: false,
  });
  const productTests = runOfProduct(ofProduct, false);
  const ofOthers = await run(await parallel("others", WORKERS, ...paths(others)));
  const [ofBrowser, ofProducts] = [await browserTests, await productTests];
  for (const { output } of [ofBrowser, ofProducts]) console.error(output);
  const results = [
    await withSecondRun(ofOthers),
    await withSecondRun(ofBrowser),
    await withSecondRun(ofProducts, PRODUCT),
    await withSecondRun(await run([`--timeout=${TEST_TIMEOUT_MS}`, ...ALONE])),
  ];
  await mergeTimings(TIMINGS, ["browser", "product", "others"].map(copyOf), all);
  return results;
}

/**
 * Runs files with a failed test again, alone: on a busy machine one test of thousands must not hold up a change. What passes only
 * then is named, and is a defect of that test. With STRICT=1, as at night, there is no second run.
 */
async function withSecondRun(first: Awaited<ReturnType<typeof run>>, env = {}) {
  const files = failedFiles(first);
  if (first.exitCode === 0 || !mayBeChance(files) || process.env.STRICT === "1") return first;
  return afterSecondRun(first, await run([`--timeout=${TEST_TIMEOUT_MS}`, ...paths(files)], { env }));
}

/** Runs the files that are named on the command line, those of the product apart. */
async function runWanted() {
  const found = all.filter((file) => wanted.some((word) => file.includes(word.replace(/^\.\//, ""))));
  const product = found.filter((file) => ofProduct.includes(file));
  if (product.length === 0) return [await run(await parallel("wanted", WORKERS, ...wanted))];
  const rest = found.filter((file) => !ofProduct.includes(file));
  const results = [await runOfProduct(product, true)];
  if (rest.length > 0) results.push(await run(await parallel("wanted", WORKERS, ...paths(rest))));
  return results;
}

const results = wanted.length > 0 ? await runWanted() : await runAll();
await services.stop();

console.log(summary(results));
process.exit(results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0);
