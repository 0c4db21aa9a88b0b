import { afterAll, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { until } from "./cluster.ts";
import { alive, childrenOf, descendantsOf, signal } from "./processes.ts";
import { afterSecondRun, failedFiles, mayBeChance, summary } from "./report.ts";
import { mergeTimings } from "./timings.ts";

/* Runs the test runner itself on temporary test files. */

const SUPPORT = join(import.meta.dir, "");
const folder = await mkdtemp(join(tmpdir(), "runner-test-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A test file that leaves a process and a frozen PostgreSQL server behind. */
const ENDLESS = `
import { test } from "bun:test";
import { startOwnPostgres } from "${SUPPORT}/outage.ts";
const postgres = await startOwnPostgres();
postgres.freeze();
Bun.spawn(["sleep", "600"]);
test("goes on", async () => {
  await Bun.write(process.env.READY, "");
  await Bun.sleep(600_000);
});
`;

/** The signals to test, and whether each is sent to the runner or only to its parent. SIGTERM and SIGHUP are handled as SIGINT is. */
const INTERRUPTIONS = [
  ["SIGINT", "the runner"],
  ["SIGKILL", "the runner"],
  ["SIGKILL", "its parent"],
] as const;

for (const [name, target] of INTERRUPTIONS)
  test(`an interrupted test run (${name} for ${target}) leaves no PostgreSQL, no process and no file`, async () => {
    const own = await mkdtemp(join(folder, "run-"));
    for (const open of [folder, own]) await chmod(open, 0o755);
    const ready = join(own, "ready");
    const file = join(own, "endless.test.ts");
    await writeFile(file, ENDLESS);
    const runner = ["bun", join(SUPPORT, "run.ts"), file];
    const child = Bun.spawn(target === "the runner" ? runner : ["sh", "-c", `${runner.join(" ")}; true`], {
      cwd: join(import.meta.dir, "../.."),
      env: { PATH: process.env.PATH, TMPDIR: own, READY: ready },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const output = Promise.all([child.stdout.text(), child.stderr.text()]);
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`The run ended: ${(await output).join("\n")}`);
        return (await Bun.file(ready).exists()) || null;
      },
      { seconds: 300 },
    );
    const servers = await Array.fromAsync(
      new Glob("**/postmaster.pid").scan({ cwd: own, absolute: true }),
      async (lock) => Number((await readFile(lock, "utf8")).split("\n")[0]),
    );
    expect(servers).toHaveLength(2);
    const processes = [child.pid, ...descendantsOf(child.pid), ...servers, ...servers.flatMap(childrenOf)];

    signal(child.pid, name);
    try {
      await until(() => (alive(processes).length === 0 ? true : null), { seconds: 120 });
    } finally {
      for (const pid of alive(processes)) signal(pid, "SIGKILL");
    }
    expect((await readdir(own)).sort()).toEqual(["endless.test.ts", "ready"]);
    if (name !== "SIGKILL") expect(await child.exited).toBeGreaterThan(128);
  });

test("the test runner ends with the names of all failed tests and a line with the totals", async () => {
  const own = await mkdtemp(join(folder, "run-"));
  const files = {
    "mixed.test.ts": `import { describe, expect, test } from "bun:test";
      test("is well", () => {});
      describe("a group", () => test("adds up [sometimes]", () => expect(1 + 1).toBe(3)));
      test("comes in time", () => Bun.sleep(60_000), 10);`,
    "unready.test.ts": `import { test } from "bun:test";
      test("is not reached", () => {});
      throw new TypeError("no set-up");`,
    // Ends last. With so many tests Bun repeats the failed ones at the end, without their files.
    "passing.test.ts": `import { test } from "bun:test";
      for (let nth = 0; nth < 30; nth += 1) test("is well " + nth, () => {});
      test("is the last", () => Bun.sleep(2_000));`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(own, name), text);
  const child = Bun.spawn(
    ["bun", join(SUPPORT, "run.ts"), ...Object.keys(files).map((name) => join(own, name))],
    {
      cwd: join(import.meta.dir, "../.."),
      // The environment names the running services, so that they are reused.
      env: { ...process.env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    },
  );
  const lines = (await child.stdout.text()).trimEnd().split("\n");
  expect(await child.exited).not.toBe(0);
  const end = lines.slice(lines.indexOf("Failed:")).map((line) => line.replace(/\S*\/(?=\w+\.test)/, ""));
  expect([end[0], ...end.slice(1, -1).sort(), end.at(-1)]).toEqual([
    "Failed:",
    "  mixed.test.ts: a group > adds up [sometimes]",
    "  mixed.test.ts: comes in time",
    "  unready.test.ts: TypeError: no set-up",
    "32 passed, 3 failed",
  ]);
});

test("a test run that ends before it printed its totals counts as failed", () => {
  expect(summary([{ output: "", exitCode: 139 }])).toBe("0 passed, 1 failed");
  expect(summary([{ output: "\n 7 pass\n 0 fail\n", exitCode: 0 }])).toBe("7 passed, 0 failed");
});

test("after a run of all tests, the timings have each file: known ones as they were, new ones as measured, no deleted ones", async () => {
  const [path, measured] = [join(folder, "timings.json"), join(folder, "measured.json")];
  await Bun.write(path, JSON.stringify({ version: 1, files: { "a.test.ts": 10, "deleted.test.ts": 5 } }));
  await Bun.write(measured, JSON.stringify({ version: 1, files: { "a.test.ts": 99, "new.test.ts": 20 } }));
  await mergeTimings(path, [measured], ["a.test.ts", "new.test.ts", "not-run.test.ts"]);
  expect(await Bun.file(path).json()).toEqual({ version: 1, files: { "new.test.ts": 20, "a.test.ts": 10 } });
});

test("a failed test is listed once, with its own file", () => {
  const output = `
a.test.ts:
(fail) adds up [1.50ms]

b.test.ts:
(pass) is well [0.10ms]

1 tests failed:
(fail) adds up [1.50ms]

 1 pass
 1 fail
`;
  expect(
    summary([{ output, exitCode: 1 }])
      .trim()
      .split("\n"),
  ).toEqual(["Failed:", "  a.test.ts: adds up", "1 passed, 1 failed"]);
});

test("tests that pass only in a second run count as passed; those that fail again stay failed", () => {
  const first = {
    output: "test/web/a.test.ts:\n(pass) works [1.00ms]\n(fail) flickers [2.00ms]\n\n 1 pass\n 1 fail\n",
    exitCode: 1,
  };
  expect(failedFiles(first)).toEqual(["test/web/a.test.ts"]);
  const passed = {
    output: "test/web/a.test.ts:\n(pass) works\n(pass) flickers\n\n 2 pass\n 0 fail\n",
    exitCode: 0,
  };
  expect(summary([afterSecondRun(first, passed)])).toBe("2 passed, 0 failed");
  const failed = { output: "test/web/a.test.ts:\n(fail) flickers\n\n 1 pass\n 1 fail\n", exitCode: 1 };
  expect(summary([afterSecondRun(first, failed)])).toEndWith("1 passed, 1 failed");
});

test("a few files get a second run; many, and races, do not", () => {
  expect(mayBeChance(["test/web/a.test.ts", "test/app/b.test.ts", "test/app/c.test.ts"])).toBe(true);
  expect(mayBeChance(["a", "b", "c", "d"].map((name) => `test/app/${name}.test.ts`))).toBe(false);
  expect(mayBeChance(["test/features/invitations/seat-races.test.ts"])).toBe(false);
  expect(mayBeChance([])).toBe(false);
});
