import { join } from "node:path";

/**
 * `bun run proof flakes [runs] [words]`: runs the tests several times (5 by default) beside four busy processes, and names each file
 * that failed at least once. A test that fails only there waits too short or depends on an order.
 */
const ROOT = join(import.meta.dir, "../..");
const [runs = "5", ...words] = process.argv.slice(2);
const busy = Array.from({ length: 4 }, () => Bun.spawn(["bun", "-e", "for (;;) Math.random()"]));
const failures = new Map<string, number>();

try {
  for (let run = 1; run <= Number(runs); run += 1) {
    const tests = Bun.spawn(["bun", join(ROOT, "test/support/run.ts"), ...words], {
      cwd: ROOT,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    const output = await tests.stdout.text();
    const failed = output.split("\nFailed:\n")[1]?.split("\n").slice(0, -2) ?? [];
    console.log(`run ${run}: ${output.trimEnd().split("\n").at(-1)}`);
    for (const test of failed) failures.set(test.trim(), (failures.get(test.trim()) ?? 0) + 1);
    if ((await tests.exited) !== 0 && failed.length === 0) failures.set("a run that ended early", run);
  }
} finally {
  for (const process of busy) process.kill();
}

for (const [test, count] of failures) console.log(`failed in ${count} of ${runs} runs: ${test}`);
process.exit(failures.size > 0 ? 1 : 0);
