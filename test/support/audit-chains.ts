import { sealJobs } from "../../src/features/audit/seal.ts";
import { runHere } from "./commands.ts";
import type { Service } from "./service.ts";

/** Queues the job that seals events, as its schedule would, and runs all jobs. */
export async function seal(t: Service): Promise<void> {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('audit.seal')");
  await t.drain();
}

/** Seals events at once and without the queue, like a concurrent worker. */
export const sealNow = (t: Service) => Promise.all(sealJobs.map((kind) => kind.run(t.running, {} as never)));

/** Runs `bun run audit`; returns its exit code, all lines, and its findings. */
export async function auditCommand(t: Service, given: string[], environment: Record<string, string> = {}) {
  const { code, out, err } = await runHere("audit", given, { DATABASE_URL: t.databaseUrl, ...environment });
  const lines = out.trim().split("\n");
  /** The findings by event id. */
  const named = Object.fromEntries(
    lines.flatMap((line) => {
      const [, what = "", id] = /^([a-z ]+): event (\S+)/.exec(line) ?? [];
      return id === undefined ? [] : [[id, what]];
    }),
  );
  return { code, lines, named, problems: err };
}

export const verify = (t: Service, organization: { id: string }, ...more: string[]) =>
  auditCommand(t, ["verify", "--organization", organization.id, ...more]);

/** Runs statements as a database owner who has disabled the triggers that protect the audit log. */
export const tamper = (t: Service, ...statements: string[]) =>
  t.sql(
    `DO $$ BEGIN PERFORM set_config('session_replication_role', 'replica', true); ${statements.join("; ")}; END $$`,
  );
