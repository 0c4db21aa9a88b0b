import { join } from "node:path";
import { sealJobs } from "../../src/features/audit/seal.ts";
import type { Service } from "./service.ts";

const COMMAND = join(import.meta.dir, "../../src/audit.ts");

/** Queues the job that seals events, as its schedule would, and runs all jobs. */
export async function seal(t: Service): Promise<void> {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('audit.seal')");
  await t.drain();
}

/** Seals events at once and without the queue, like a concurrent worker. */
export const sealNow = (t: Service) => Promise.all(sealJobs.map((kind) => kind.run(t.running, {} as never)));

/** Runs `bun run audit`; returns its exit code, all lines, and its findings. */
export async function auditCommand(t: Service, given: string[], environment: Record<string, string> = {}) {
  const child = Bun.spawn(["bun", COMMAND, ...given], {
    env: { PATH: process.env.PATH, DATABASE_URL: t.databaseUrl, ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const lines = out.trim().split("\n");
  /** The findings by event id. */
  const named = Object.fromEntries(
    lines.flatMap((line) => {
      const [, what = "", id] = /^([a-z ]+): event (\S+)/.exec(line) ?? [];
      return id === undefined ? [] : [[id, what]];
    }),
  );
  return { code: await child.exited, lines, named, problems };
}

export const verify = (t: Service, organization: { id: string }, ...more: string[]) =>
  auditCommand(t, ["verify", "--organization", organization.id, ...more]);

/** Runs statements as a database owner who has disabled the triggers that protect the audit log. */
export const tamper = (t: Service, ...statements: string[]) =>
  t.sql(
    `DO $$ BEGIN PERFORM set_config('session_replication_role', 'replica', true); ${statements.join("; ")}; END $$`,
  );
