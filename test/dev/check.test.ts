import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
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

test("the check fails if generated queries or the schema are out of date or missing, and changes no file", async () => {
  const [changed, missing] = [["sql/roles.queries.ts", "sql/schema.sql"], "sql/units.queries.ts"];
  for (const file of changed) await appendFile(join(copy, file), "\n");
  await rm(join(copy, missing));
  const { code, output } = await check("queries");
  expect(code).toBe(1);
  for (const file of [...changed, missing]) expect(output).toContain(`${file} is out of date`);
  for (const file of changed) expect(await readFile(join(copy, file), "utf8")).toEndWith("\n\n");
  expect(existsSync(join(copy, missing))).toBe(false);
  for (const file of [...changed, missing]) await cp(join(ROOT, file), join(copy, file));
  expect(await check("queries")).toEqual({ code: 0, output: "✓ generated queries and schema\n" });
});
