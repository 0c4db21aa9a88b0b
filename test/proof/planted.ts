import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLANTED } from "./planted-faults.ts";

/**
 * `bun run proof planted [words]`: plants one fault after the other in a copy of the tree, and shows that the command that
 * claims to find faults of this kind finds it. Without words, all of `planted-faults.ts`.
 */
const words = process.argv.slice(2).join(" ");
const ROOT = join(import.meta.dir, "../..");
const PARTS = ["src", "sql", "migrations", "test", "docs", "package.json", "tsconfig.json", "bunfig.toml"];
const TIMEOUT_MS = 15 * 60_000;

let missed = 0;
for (const { name, command, edits, expected } of PLANTED.filter(({ name }) => name.includes(words))) {
  const folder = await mkdtemp(join(tmpdir(), "planted-"));
  for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
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
  const finding = output.split("\n").find((line) => expected.test(line));
  if (finding === undefined) missed += 1;
  console.log(`${finding === undefined ? "MISSED" : "found"} in ${seconds} s: ${name}`);
  const shown = output.split("\n").filter((line) => /^Finding|after \d|^\d+ (rounds|requests)/.test(line));
  console.log(
    `  ${[...shown.slice(0, 1), finding ?? (output + errors).slice(-1500)].join("\n  ").slice(0, 1500)}`,
  );
  await rm(folder, { recursive: true, force: true });
}
console.log(`${missed} missed`);
process.exit(missed === 0 ? 0 : 1);
