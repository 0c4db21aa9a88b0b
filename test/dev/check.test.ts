import { afterAll, expect, test } from "bun:test";
import { appendFile, cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowSlowTests } from "../support/slow-tests.ts";

/* Runs `bun run check` in a copy of the repository. */
allowSlowTests();
const ROOT = join(import.meta.dir, "../..");
const copy = await mkdtemp(join(tmpdir(), "check-"));
afterAll(() => rm(copy, { recursive: true, force: true }));
for (const name of ["src", "sql", "migrations", "package.json", "tsconfig.json"])
  await cp(join(ROOT, name), join(copy, name), { recursive: true });
await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));

async function check(word: string) {
  const child = Bun.spawn(["bun", "src/dev/check.ts", word], { cwd: copy, stdout: "pipe", stderr: "pipe" });
  const output = (await child.stdout.text()) + (await child.stderr.text());
  return { code: await child.exited, output };
}

test("the check fails if generated queries or the schema are out of date, and changes no file", async () => {
  const files = ["sql/todos.queries.ts", "sql/schema.sql"];
  for (const file of files) await appendFile(join(copy, file), "\n");
  // The check runs twice, to show that it did not repair the files.
  for (const _ of [1, 2]) {
    const { code, output } = await check("queries");
    expect([code, ...files.map((file) => output.includes(`${file} is out of date`))]).toEqual([
      1,
      true,
      true,
    ]);
  }
  for (const file of files) expect(await readFile(join(copy, file), "utf8")).toEndWith("\n\n");
  for (const file of files) await cp(join(ROOT, file), join(copy, file));
  expect(await check("queries")).toEqual({ code: 0, output: "✓ generated queries and schema\n" });
});

test("the check reports a missing generated file", async () => {
  await rm(join(copy, "sql/todos.queries.ts"));
  const { code, output } = await check("queries");
  expect([code, output.includes("sql/todos.queries.ts is out of date")]).toEqual([1, true]);
  await cp(join(ROOT, "sql/todos.queries.ts"), join(copy, "sql/todos.queries.ts"));
});
