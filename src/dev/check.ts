import { join } from "node:path";
import { complaint, outdated } from "./generated.ts";

/**
 * `bun run check [word]`: checks types, lint, format, and whether the generated files are up to date. With a word,
 * runs only the steps whose name contains it. Changes no file.
 */
const ROOT = join(import.meta.dir, "../..");
const BIN = join(ROOT, "node_modules/.bin");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

const steps: [name: string, work: () => Promise<Outcome>][] = [
  // The TypeScript compiler is called by its path, because TypeScript 5 is installed too. It uses one checker: each
  // has its own types, so four checkers on two cores took twice the time and memory.
  ["types", () => run([TSC, "--noEmit", "--checkers", "1"])],
  // The client runs in browsers, so it is checked without the types of Bun and with those of a browser.
  ["types of the client", () => run([TSC, "-p", "src/client", "--checkers", "1"])],
  ["types of the console", () => run([TSC, "-p", "src/web", "--checkers", "1"])],
  ["lint and format", () => run([join(BIN, "biome"), "check", "--error-on-warnings", "."])],
  ["generated queries and schema", () => run(["bun", join(ROOT, "src/dev/queries.ts"), "--check"])],
  ["generated types of the client", checkDocument],
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

/** Generates what follows from the OpenAPI document. */
async function checkDocument(): Promise<Outcome> {
  // Loads the service, which fails if a generated query is missing.
  const { generatedOfDocument } = await import("./client/types.ts");
  const files = await outdated(await generatedOfDocument());
  return { ok: files.length === 0, output: complaint(files) };
}

async function report(name: string, { ok, output }: Outcome): Promise<number> {
  console.log(`${ok ? "✓" : "✗"} ${name}`);
  if (!ok) console.log(output);
  return ok ? 0 : 1;
}
