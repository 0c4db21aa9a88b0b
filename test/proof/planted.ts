import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withCopy } from "./planted-copy.ts";
import { PLANTED, type PlantedFault } from "./planted-faults.ts";

/**
 * `bun run proof planted [words]` finds proofs that no longer find what they should. It plants one fault after the
 * other in a copy of the source tree, and checks that the command or test for faults of this kind finds it. Words
 * select faults by their names; without words, all faults are planted.
 */
const words = process.argv.slice(2).join(" ");
const TIMEOUT_MS = 15 * 60_000;

let missed = 0;
for (const fault of PLANTED.filter(({ name }) => name.includes(words)))
  missed += (await withCopy((folder) => isFound(folder, fault))) ? 0 : 1;
console.log(`${missed} missed`);
process.exit(missed === 0 ? 0 : 1);

/** Plants a fault and runs its command. Prints and returns whether its output has the expected finding. */
async function isFound(folder: string, { name, command, edits, expected }: PlantedFault): Promise<boolean> {
  for (const [file, before, after] of edits) {
    const text = await readFile(join(folder, file), "utf8");
    if (!text.includes(before)) throw new Error(`${name}: ${file} does not contain ${before}`);
    await writeFile(
      join(folder, file),
      text.replace(before, () => after),
    );
  }
  const started = performance.now();
  const child = Bun.spawn(["bun", ...command], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT_MS,
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  const seconds = Math.round((performance.now() - started) / 1000);
  // The error output is searched too, because tests print their results there.
  const finding = `${output}\n${errors}`.split("\n").find((line) => expected.test(line));
  console.log(`${finding === undefined ? "MISSED" : "found"} in ${seconds} s: ${name}`);
  const summary = output.split("\n").filter((line) => /^Finding|after \d|^\d+ (rounds|requests)/.test(line));
  const lines = [...summary.slice(0, 1), finding ?? (output + errors).slice(-1500)];
  console.log(`  ${lines.join("\n  ").slice(0, 1500)}`);
  return finding !== undefined;
}
