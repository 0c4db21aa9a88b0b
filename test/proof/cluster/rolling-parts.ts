import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../src/dev/postgres/launch.ts";
import { untilReady } from "../../support/cluster.ts";
import type { Environment } from "../../support/environment.ts";
import { startShippedNginx } from "../../support/nginx.ts";

const ROOT = join(import.meta.dir, "../../..");

/** Runs a program to its end, and returns its output. @throws with its error output if it fails */
async function run(command: string[], { cwd = ROOT, env = {} }: { cwd?: string; env?: Environment } = {}) {
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}:\n${out}${errors}`);
  return out.trim();
}

/** A version of the service, in its own folder. */
export type Version = { name: string; folder: string };

export const current: Version = { name: "N+1", folder: ROOT };

/**
 * Returns the commit before the one that added the newest migration. If the migrations of that commit are not a
 * part of the current ones, returns the commit that added the newest migration. Only first parents are considered:
 * a commit of a merged branch may lack older migrations, which the current version would then run out of order.
 */
async function commitBeforeNewestMigration(): Promise<string> {
  const names = (await run(["git", "ls-files", "migrations/*.sql"])).split("\n").sort();
  const newest = names.at(-1) ?? "";
  const brought = ["--first-parent", "-m", "-1", "--diff-filter=A", "--format=%H"];
  const commit = await run(["git", "log", ...brought, "--", newest]);
  const before = (await run(["git", "ls-tree", "--name-only", `${commit}^`, "migrations/"])).split("\n");
  return before.filter((name) => name.endsWith(".sql")).every((name) => names.includes(name))
    ? `${commit}^`
    : commit;
}

/** Checks out a commit with its dependencies into a temporary folder; by default the one before the newest migration. */
export async function checkOut(ref?: string) {
  const commit = await run(["git", "rev-parse", ref ?? (await commitBeforeNewestMigration())]);
  const folder = await mkdtemp(join(tmpdir(), "rolling-"));
  await run(["sh", "-c", `git archive ${commit} | tar -x -C ${folder}`]);
  await run([process.execPath, "install", "--frozen-lockfile"], { cwd: folder });
  const migrations = await run(["sh", "-c", "ls migrations/*.sql | tail -n 1"], { cwd: folder });
  return {
    version: { name: "N", folder } satisfies Version,
    about: `${await run(["git", "log", "-1", "--format=%h %s", commit])} (${migrations})`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Migrates the database, as an operator does before starting a new version. */
export const migrate = ({ folder }: Version, env: Environment) =>
  run([process.execPath, "src/migrate.ts"], { cwd: folder, env });

/** One of the addresses behind nginx. Its process is replaced by processes of other versions. */
export class Instance {
  readonly port = freePort();
  private child: ReturnType<typeof Bun.spawn> | null = null;

  constructor(private readonly environment: Environment) {}

  async start({ folder }: Version): Promise<void> {
    this.child = Bun.spawn([process.execPath, "src/server.ts"], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...this.environment, PORT: String(this.port) },
      // Only errors are logged. They explain why a request failed.
      stdout: "inherit",
      stderr: "inherit",
    });
    await untilReady(`http://127.0.0.1:${this.port}`);
  }

  async stop(): Promise<void> {
    this.child?.kill("SIGTERM");
    await this.child?.exited;
  }

  async replaceWith(version: Version): Promise<void> {
    await this.stop();
    await this.start(version);
  }
}

/**
 * Starts nginx with the settings of docs/deploy/nginx.conf, without TLS, in front of these ports. Installs nginx by
 * apt-get if it is missing.
 */
export async function startNginx(ports: number[]) {
  if (Bun.which("nginx") === null)
    await run(["apt-get", "install", "-qq", "-y", "--no-install-recommends", "nginx-light"]);
  // The limit of connections is raised, because all clients have the same IP address.
  const nginx = await startShippedNginx(ports, { tls: false, ratePerSecond: 10_000, atOnce: 10_000 });
  await untilReady(nginx.url);
  return {
    ...nginx,
    /**
     * Returns the errors that nginx itself returned, with their counts. Leaves out connections that a stopped
     * instance refused.
     */
    async problems(): Promise<string[]> {
      const causes = (await nginx.errorLog())
        .split("\n")
        .map((line) => /\*\d+ (.*?) (?:while|, client)/.exec(line)?.[1] ?? "")
        .filter((cause) => cause !== "" && !cause.includes("Connection refused"));
      return [...Map.groupBy(causes, (cause) => cause)].map(([cause, all]) => `${all.length} times ${cause}`);
    },
  };
}
