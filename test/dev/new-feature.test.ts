import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* `bun run new:feature` in a copy of the repository. */
setDefaultTimeout(240_000);
const ROOT = join(import.meta.dir, "../..");
const copy = await mkdtemp(join(tmpdir(), "new-feature-"));
afterAll(() => rm(copy, { recursive: true, force: true }));
const FILES = ["package.json", "tsconfig.json", "biome.json", "bunfig.toml", ".gitignore"];
for (const name of [...FILES, "src", "sql", "migrations", "test"])
  await cp(join(ROOT, name), join(copy, name), { recursive: true });
// A product may have resources already.
await rm(join(copy, "migrations/product"), { recursive: true });
await mkdir(join(copy, "migrations/product"));
await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));

async function run(...command: string[]) {
  // The databases that the tests share have the migrations of the original.
  const { TEST_CLUSTER_URL: _, ...env } = process.env;
  const child = Bun.spawn(["bun", ...command], { cwd: copy, env, stdout: "pipe", stderr: "pipe" });
  const output = (await child.stdout.text()) + (await child.stderr.text());
  return { code: await child.exited, output };
}
const generate = (...names: string[]) => run("src/dev/new-feature.ts", ...names);
const expectSuccess = ({ code, output }: { code: number; output: string }) =>
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });

test("a name that is taken, or is not one word, changes nothing", async () => {
  for (const [name, message] of [
    ["todos", "The name todos is taken"],
    ["organizations", "The name organizations is taken"],
    ["Invoices", "one word of lower-case letters"],
    ["../invoices", "one word of lower-case letters"],
    ["criteria", "What is the singular of criteria?"],
  ] as const) {
    const { code, output } = await generate(name);
    expect([name, code, output.includes(message)]).toEqual([name, 1, true]);
  }
  expect((await readdir(join(copy, "sql"))).sort()).toEqual((await readdir(join(ROOT, "sql"))).sort());
});

test("a generated resource passes the check, its test and the tests of the architecture", async () => {
  expectSuccess(await generate("invoices"));
  expectSuccess(await generate("criteria", "criterion"));
  expect((await readdir(join(copy, "migrations/product"))).sort()).toEqual([
    "0001_invoices.sql",
    "0002_criteria.sql",
  ]);
  expectSuccess(await run("src/dev/check.ts"));
  const files = ["features/invoices", "architecture/matrix", "architecture/layers", "architecture/document."];
  const tested = [
    ...files,
    "architecture/document-complete",
    "core/api/empty-changes",
    "features/roles/roles",
  ];
  expectSuccess(await run("test", "--timeout=120000", "--update-snapshots", ...tested));
});
