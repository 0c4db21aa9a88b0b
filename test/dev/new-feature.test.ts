import { afterAll, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowSlowTests } from "../support/slow-tests.ts";
import { declareEverything } from "./new-feature-declarations.ts";

allowSlowTests();

/* Runs `bun run new:feature` in a copy of the repository. */
const ROOT = join(import.meta.dir, "../..");
const copy = await mkdtemp(join(tmpdir(), "new-feature-"));
afterAll(() => rm(copy, { recursive: true, force: true }));
const FILES = ["package.json", "tsconfig.json", "biome.json", "bunfig.toml", ".gitignore", ".gitattributes"];
for (const name of [...FILES, "src", "sql", "migrations", "test", "docs", "examples"])
  await cp(join(ROOT, name), join(copy, name), { recursive: true });
// Removes the migrations of the product, if the repository has any.
await rm(join(copy, "migrations/product"), { recursive: true });
await mkdir(join(copy, "migrations/product"));
await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));

async function run(...command: string[]) {
  // The command uses the server of the tests without their databases, which have the migrations of the original repository.
  const { TEST_CLUSTER_URL: cluster = "{}", ...env } = process.env;
  env.TEST_DATABASE_URL ??= JSON.parse(cluster).url;
  const child = Bun.spawn(["bun", ...command], { cwd: copy, env, stdout: "pipe", stderr: "pipe" });
  const output = (await child.stdout.text()) + (await child.stderr.text());
  return { code: await child.exited, output };
}
async function git(...args: string[]) {
  const who = ["-c", "user.name=Product", "-c", "user.email=product@example.com"];
  const child = Bun.spawn(["git", ...who, ...args], { cwd: copy, stdout: "pipe", stderr: "pipe" });
  const output = (await child.stdout.text()) + (await child.stderr.text());
  if ((await child.exited) !== 0) throw new Error(output);
  return output;
}
const textOf = (file: string) => Bun.file(join(copy, file)).text();
const edit = async (file: string, change: (text: string) => string) => {
  const before = await textOf(file);
  const after = change(before);
  expect([file, after === before]).toEqual([file, false]);
  await Bun.write(join(copy, file), after);
};
const generate = (...names: string[]) => run("src/dev/new-feature.ts", ...names);
const lint = (...options: string[]) =>
  run("node_modules/.bin/biome", "check", ...options, "--error-on-warnings", "src/product", "test/product");
const GENERATED = ["src/client/document.ts", "src/client/document.txt", "sql/schema.sql"];
const expectSuccess = ({ code, output }: { code: number; output: string }) =>
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });

test("`bun run new:feature` with a taken name, or one that is not a single word, changes nothing", async () => {
  for (const [name, message] of [
    ["todos", "The name todos is taken"],
    ["organizations", "The name organizations is taken"],
    ["inspections", "The name inspections is taken"],
    ["Invoices", "one word of lower-case letters"],
    ["../invoices", "one word of lower-case letters"],
    ["criteria", "What is the singular of criteria?"],
  ] as const) {
    const { code, output } = await generate(name);
    expect([name, code, output.includes(message)]).toEqual([name, 1, true]);
  }
  const { output } = await generate("invoices", "--in", "rooms");
  expect(output).toContain("--in must be one of: members, units");
  expect((await readdir(join(copy, "sql"))).sort()).toEqual((await readdir(join(ROOT, "sql"))).sort());
});

test("generated resources, of which one has all that docs/extend.md describes, pass the check, their own tests and those over all features; merging a later version of the service conflicts in no generated file", async () => {
  await git("init", "-q", "-b", "later");
  await git("add", "-A");
  await git("commit", "-qm", "The service");
  await git("switch", "-qc", "product");
  expectSuccess(await generate("invoices"));
  await declareEverything(copy);
  await addErrorAndLogLine();
  await git("add", "-A");
  await git("commit", "-qm", "A product");
  await mergeLaterVersion();
  // The command writes the generated files anew. The check of types below compares those of the client with the document; nothing
  // compares the schema with one of before the merge, because the second resource changes it.
  expectSuccess(await generate("criteria", "criterion", "--in", "units"));
  expectSuccess(await lint());
  for (const file of GENERATED) {
    const text = (await textOf(file)).toLowerCase();
    const found = ["invoice", "criteri", "quote"].filter((name) => text.includes(name));
    expect([file, found]).toEqual([file, ["invoice", "criteri"]]);
  }
  expect((await readdir(join(copy, "migrations/product"))).sort()).toEqual([
    "0001_invoices.sql",
    "0002_criteria.sql",
  ]);
  // Nothing but the resources has changed, so only they are checked, with all that they use. Includes whether the generated types of
  // the client are up to date; the command has just generated the queries.
  await edit("tsconfig.json", (text) =>
    text.replace('"src", "sql", "test"', '"src/product", "sql/product", "test/product", "test/support"'),
  );
  expectSuccess(await run("src/dev/check.ts", "types"));
  const tested = [
    "test/product/",
    "architecture/matrix",
    "architecture/layers",
    "architecture/document.",
    "architecture/document-complete",
    "architecture/rules",
    "architecture/logs",
    "core/api/empty-changes",
    "features/profile/step-up",
    "features/roles/roles",
  ];
  // Of the permission matrix, the rows of the resources and the tests over all rows.
  const names = "^(?!.*returns the expected status to each caller)|Invoice|Criteri";
  expectSuccess(await run("test", "--timeout=120000", "-t", names, ...tested));
});

/** Adds an error with its texts, as src/kit/README.md says, and a line of the log, in the folders of the resource alone. */
async function addErrorAndLogLine() {
  await edit("src/product/invoices/routes.ts", (text) =>
    text
      .replace("import {", "import {\n  defineError,")
      .replace(
        "\nconst ",
        '\nconst invoiceClosed = defineError(409, "INVOICE_CLOSED", "The invoice is closed");\n\nconst ',
      )
      .replaceAll("errors: [notFound]", "errors: [notFound, invoiceClosed]"),
  );
  const texts = '{ INVOICE_CLOSED: { en: "The invoice is closed.", el: "Το τιμολόγιο είναι κλειστό." } }';
  await edit("src/product/invoices/web/feature.ts", (text) =>
    text.replace("  menu:", `  errors: ${texts},\n  menu:`),
  );
  await edit("src/product/invoices/service.ts", (text) =>
    text.replace(
      "  await assertStillPlatformAdmin(tx);",
      '  tx.app.log.info("invoice asked for", { organizationId: tx.organizationId });\n  await assertStillPlatformAdmin(tx);',
    ),
  );
  expectSuccess(await lint("--write"));
}

/** Merges a version of the service that has changed the same places of the generated files. */
async function mergeLaterVersion() {
  const texts = await Promise.all(GENERATED.map(textOf));
  await git("switch", "-q", "later");
  for (const [index, file] of GENERATED.entries())
    await edit(file, () =>
      (texts[index] ?? "").replaceAll(/invoice/g, "quote").replaceAll("Invoice", "Quote"),
    );
  await git("commit", "-qam", "A later version");
  await git("switch", "-q", "product");
  await git("merge", "-q", "--no-edit", "later");
  expect(await textOf("src/client/document.ts")).toContain('"GET /api/quotes"');
}
