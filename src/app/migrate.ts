import { synchronizeBuiltInRoles } from "../features/roles/built-in.ts";
import type { DatabaseConfig } from "../platform/db/config.ts";
import { grantToApiRole } from "../platform/db/grant.ts";
import { migrate, migrationStatus } from "../platform/db/migrations.ts";
import { migrateJobs } from "../platform/jobs/migrate.ts";
import { needed } from "./command.ts";
import { readDatabaseConfig } from "./config.ts";
import { jobKinds } from "./jobs.ts";

/**
 * Updates a database: the schema, the built-in roles, the job queue, and the privileges of the API's role, if there
 * is one. Returns a line for each change.
 */
export async function migrateAll(databaseUrl: string, apiRole: string | null = null): Promise<string[]> {
  const ran = (await migrate(databaseUrl)).map((name) => `migrated ${name}`);
  const roles = await synchronizeBuiltInRoles(databaseUrl);
  await migrateJobs(databaseUrl, jobKinds);
  if (apiRole !== null) await grantToApiRole(databaseUrl, apiRole);
  return [...ran, ...roles];
}

const USAGE = `Usage: bun run migrate [--status | --dry-run]

  --status   say of each migration whether it has run
  --dry-run  say which ones would run`;

/** Runs `bun run migrate` with its arguments. @throws Error with the usage text for others */
export async function runMigrate(given: string[]): Promise<void> {
  const [option, ...more] = given;
  if (more.length > 0 || ![undefined, "--status", "--dry-run"].includes(option)) throw new Error(USAGE);
  const config = needed(readDatabaseConfig(process.env));
  // The URL of a direct connection, without a pooler: migrations need session locks and settings.
  for (const line of await did(config, option)) console.log(line);
}

async function did(
  { listenUrl: url, apiRole }: DatabaseConfig,
  option: string | undefined,
): Promise<string[]> {
  if (option === undefined) {
    const ran = await migrateAll(url, apiRole);
    const granted = apiRole === null ? [] : ["the role of DATABASE_API_ROLE has its privileges"];
    return [
      ...(ran.length > 0 ? ran : ["the schema was up to date"]),
      "the job queue is up to date",
      ...granted,
    ];
  }
  const all = await migrationStatus(url);
  if (option === "--status") return all.map(({ name, hasRun }) => `${hasRun ? "done" : "pending"} ${name}`);
  const pending = all.filter(({ hasRun }) => !hasRun).map(({ name }) => `would migrate ${name}`);
  return pending.length > 0 ? pending : ["the schema is up to date"];
}
