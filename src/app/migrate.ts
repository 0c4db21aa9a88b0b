import { synchronizeBuiltInRoles } from "../features/roles/built-in.ts";
import { migrate } from "../platform/db/migrations.ts";
import { migrateJobs } from "../platform/jobs/queue.ts";
import { jobKinds } from "./jobs.ts";

/** Brings a database up to date: its own schema, the built-in roles, the job queue. Answers what it did, a line each. */
export async function migrateAll(databaseUrl: string): Promise<string[]> {
  const ran = (await migrate(databaseUrl)).map((name) => `migrated ${name}`);
  const roles = await synchronizeBuiltInRoles(databaseUrl);
  await migrateJobs(databaseUrl, jobKinds);
  return [...ran, ...roles];
}
