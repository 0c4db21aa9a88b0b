import { rm } from "node:fs/promises";
import { join } from "node:path";
import { GENERATED_QUERIES, SCHEMA } from "./queries/generate.ts";

/**
 * `bun run check [word]`: checks types, lint, format, and whether the generated files are up to date. With a word,
 * runs only the steps whose name contains it. Changes no file.
 */
const ROOT = join(import.meta.dir, "../..");
const BIN = join(ROOT, "node_modules/.bin");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const GENERATED = [SCHEMA, GENERATED_QUERIES];

const steps: [name: string, work: () => Promise<Outcome>][] = [
  // The TypeScript compiler is called by its path, because TypeScript 5 is installed too. It uses one checker: each
  // has its own types, so four checkers on two cores took twice the time and memory.
  ["types", () => run([TSC, "--noEmit", "--checkers", "1"])],
  // The client runs in browsers, so it is checked without the types of Bun and with those of a browser.
  ["types of the client", () => run([TSC, "-p", "src/client", "--checkers", "1"])],
  ["types of the console", () => run([TSC, "-p", "src/web", "--checkers", "1"])],
  ["lint and format", () => run([join(BIN, "biome"), "check", "--error-on-warnings", "."])],
  ["generated queries and schema", checkDrift],
  ["generated types of the client", checkClientTypes],
];

const [word = ""] = process.argv.slice(2);
const chosen = steps.filter(([name]) => name.includes(word));
if (chosen.length === 0) throw new Error(`No step has "${word}" in its name: ${steps.map(([name]) => name)}`);
let failed = 0;
for (const [name, work] of chosen) failed += await report(name, await work());
process.exit(failed > 0 ? 1 : 0);

type Outcome = { ok: boolean; output: string };

async function run(command: string[]): Promise<Outcome> {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return { ok: (await child.exited) === 0, output };
}

/** Generates the client's types from the OpenAPI document. */
async function checkClientTypes(): Promise<Outcome> {
  // Loads the service, which fails if a generated query is missing.
  const { clientTypes, TYPES_FILE } = await import("./client/types.ts");
  const isCurrent = (await Bun.file(TYPES_FILE).text()) === (await clientTypes());
  return { ok: isCurrent, output: "src/client/document.ts was out of date: bun run client, then commit it" };
}

/**
 * Generates the files again and compares them with the existing files. Then puts the existing files back, so that the
 * check changes nothing.
 */
async function checkDrift(): Promise<Outcome> {
  const before = await readGenerated();
  const generated = await run(["bun", join(ROOT, "src/dev/queries.ts")]);
  const after = await readGenerated();
  const drifted = [...new Set([...before.keys(), ...after.keys()])].filter(
    (file) => before.get(file) !== after.get(file),
  );
  for (const file of drifted) {
    const text = before.get(file);
    await (text === undefined ? rm(join(ROOT, file)) : Bun.write(join(ROOT, file), text));
  }
  if (!generated.ok) return generated;
  const counted = before.size > GENERATED.length;
  return {
    ok: counted && drifted.length === 0,
    output: counted
      ? drifted.map((file) => `${file} is out of date: bun run queries, then commit it`).join("\n")
      : "no generated file was found",
  };
}

async function readGenerated(): Promise<Map<string, string>> {
  const files = GENERATED.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);
  return new Map(
    await Promise.all(files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const)),
  );
}

async function report(name: string, { ok, output }: Outcome): Promise<number> {
  console.log(`${ok ? "✓" : "✗"} ${name}`);
  if (!ok) console.log(output);
  return ok ? 0 : 1;
}
