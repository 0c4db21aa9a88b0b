import { join } from "node:path";
import { parseArgs } from "node:util";
import { write } from "./generated.ts";
import { filesOf, OWNERS } from "./new-feature/files.ts";
import { namesOf } from "./new-feature/names.ts";
import { register } from "./new-feature/registrations.ts";

/**
 * `bun run new:feature <plural> [singular] [--in members|units]`: writes a resource with migration, queries, service,
 * routes, test and console page. Its records are owned by members, whom others reach in units, or belong to units.
 * Adds it to the lists of src/product, and generates the files that depend on it.
 */
const ROOT = join(import.meta.dir, "../..");

try {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    options: { in: { type: "string", default: "members" } },
    allowPositionals: true,
  });
  const names = namesOf(...positionals);
  const owner = OWNERS.find((one) => one === values.in);
  if (owner === undefined) throw new Error(`--in must be one of: ${OWNERS.join(", ")}`);
  const files = await filesOf(ROOT, names, owner);
  const changed = await register(ROOT, names);
  for (const [path, text] of files) await Bun.write(join(ROOT, path), text);
  await run("src/dev/queries.ts");
  // The module is imported only here, because it loads all routes.
  const { generatedOfDocument } = await import("./client/types.ts");
  await write(await generatedOfDocument());
  const formatted = [...files.keys(), ...changed].filter((path) => !path.endsWith(".sql"));
  await run("node_modules/.bin/biome", "check", "--write", ...formatted);
  console.log(`
Created:
${[...files.keys()].map((path) => `  ${path}`).join("\n")}
Listed in:
${changed.map((path) => `  ${path}`).join("\n")}

Next:
  bun run check
  bun test test/product/${names.plural}
  restart bun run dev, which gives the new permissions to the built-in roles
Then change the columns, texts and permissions: docs/extend.md. The Greek heading is ${names.Plural} until you translate it.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Runs a command of the repository with Bun. @throws Error with its output if it fails */
async function run(...command: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, ...command], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}:\n${output}`);
}
