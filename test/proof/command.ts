import { join } from "node:path";
import { PROOFS } from "./proofs.ts";

/** `bun run proof <name> [options]`: measurements and long tests. `bun run proof --help` lists them. */
const ROOT = join(import.meta.dir, "../..");
const [name = "--help", ...options] = process.argv.slice(2);
const proof = PROOFS[name];

if (proof === undefined) {
  const width = Math.max(...Object.entries(PROOFS).map(([name, { usage }]) => `${name} ${usage}`.length));
  const lines = Object.entries(PROOFS).map(
    ([name, { usage, does }]) => `  ${`${name} ${usage}`.padEnd(width)}  ${does}`,
  );
  const isHelp = name === "--help" || name === "-h";
  const problem = isHelp ? [] : [`There is no proof "${name}".`];
  (isHelp ? console.log : console.error)(
    [...problem, "Usage: bun run proof <name> [options]", ...lines].join("\n"),
  );
  process.exit(isHelp ? 0 : 1);
}

process.chdir(ROOT);
const file = join(ROOT, proof.file);
if (file.endsWith(".ts")) {
  // Runs the command in this process, so that signals reach it and its exit code is passed on.
  process.argv = [process.argv[0] ?? "bun", file, ...options];
  // Composes the features, on which the catalogs of permissions, events and plans depend.
  await import("../../src/app/features.ts");
  await import(file);
} else {
  const child = Bun.spawn([file, ...options], { stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  process.exit(await child.exited);
}
