import { spyOn } from "bun:test";
import { join } from "node:path";
import { runAuditCommand } from "../../src/app/audit-command.ts";
import { runCommand } from "../../src/app/command.ts";
import { runJobsCommand } from "../../src/app/jobs-command.ts";
import { runMigrate } from "../../src/app/migrate.ts";
import { runAdmin } from "../../src/app/platform-admin.ts";
import { runPostRestore } from "../../src/app/post-restore.ts";
import { runRekey } from "../../src/app/rekey.ts";
import type { Environment } from "./environment.ts";

/** The programs of `src` that operators run, by the names of their files. */
const COMMANDS = {
  admin: runAdmin,
  audit: runAuditCommand,
  jobs: runJobsCommand,
  migrate: runMigrate,
  rekey: runRekey,
  restored: runPostRestore,
};
export type CommandName = keyof typeof COMMANDS;
export type Outcome = { code: number; out: string; err: string };

/** Runs a program of `src` as an operator would, with this input. */
export async function spawnCommand(
  name: string,
  given: string[],
  environment: Environment,
  input = "",
): Promise<Outcome> {
  const child = Bun.spawn(["bun", join(import.meta.dir, "../../src", `${name}.ts`), ...given], {
    env: { PATH: process.env.PATH, ...environment },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, err };
}

let isRunning = false;

/**
 * Runs a command in this process, with its own environment: loading the program anew takes most of the time of a call. Each
 * command has a test that runs its program. Meanwhile the whole process has this environment, console and input, so a test
 * starts nothing until the command has ended.
 */
export async function runHere(
  name: CommandName,
  given: string[],
  environment: Environment,
  input = "",
): Promise<Outcome> {
  if (isRunning) throw new Error("Another command is running in this process: use spawnCommand");
  isRunning = true;
  const outcome = { code: 0, out: "", err: "" };
  const log = spyOn(console, "log").mockImplementation((line) => {
    outcome.out += `${line}\n`;
  });
  const error = spyOn(console, "error").mockImplementation((line) => {
    outcome.err += `${line}\n`;
  });
  const stdin = spyOn(Bun.stdin, "text").mockImplementation(async () => input);
  const { env } = process;
  process.env = { ...environment } as typeof env;
  try {
    outcome.code = await runCommand(() => COMMANDS[name](given));
  } finally {
    process.env = env;
    log.mockRestore();
    error.mockRestore();
    stdin.mockRestore();
    isRunning = false;
  }
  return outcome;
}
