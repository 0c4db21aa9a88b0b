import { join } from "node:path";
import { clientTypes, TYPES_FILE } from "./client/types.ts";

/** `bun run check`: types, lint, format, and whether the generated queries and sql/schema.sql are up to date. */
const ROOT = join(import.meta.dir, "../..");
const BIN = join(ROOT, "node_modules/.bin");

const steps: [name: string, command: string[]][] = [
  // By its path, because version 5 is installed too. One checker: each has types of its own, and with four on two cores they took twice the time and memory.
  ["types", [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit", "--checkers", "1"]],
  // Without those of Bun, and with those of a browser: where the client runs.
  [
    "types of the client",
    [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "src/client", "--checkers", "1"],
  ],
  [
    "types of the console",
    [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "src/web", "--checkers", "1"],
  ],
  ["lint and format", [join(BIN, "biome"), "check", "--error-on-warnings", "."]],
];

let failed = 0;
for (const [name, command] of steps) failed += await report(name, await run(command));
failed += await report("generated queries and schema", await checkDrift());
failed += await report("generated types of the client", await checkClientTypes());
process.exit(failed > 0 ? 1 : 0);

type Outcome = { ok: boolean; output: string };

async function run(command: string[]): Promise<Outcome> {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return { ok: (await child.exited) === 0, output };
}

/** The types of the client against the OpenAPI document. */
async function checkClientTypes(): Promise<Outcome> {
  const isCurrent = (await Bun.file(TYPES_FILE).text()) === (await clientTypes());
  return { ok: isCurrent, output: "src/client/document.ts was out of date: bun run client, then commit it" };
}

/** Generates anew and compares with what was there before. */
async function checkDrift(): Promise<Outcome> {
  const before = await readGenerated();
  const generated = await run(["bun", join(ROOT, "src/dev/queries.ts")]);
  if (!generated.ok) return generated;
  const after = await readGenerated();
  const drifted = [...new Set([...before.keys(), ...after.keys()])].filter(
    (file) => before.get(file) !== after.get(file),
  );
  return {
    ok: drifted.length === 0,
    output: drifted.map((file) => `${file} was out of date, commit the new one`).join("\n"),
  };
}

async function readGenerated(): Promise<Map<string, string>> {
  const files = [...new Bun.Glob("sql/{schema.sql,**/*.queries.ts}").scanSync(ROOT)];
  return new Map(
    await Promise.all(files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const)),
  );
}

async function report(name: string, { ok, output }: Outcome): Promise<number> {
  console.log(`${ok ? "✓" : "✗"} ${name}`);
  if (!ok) console.log(output);
  return ok ? 0 : 1;
}
