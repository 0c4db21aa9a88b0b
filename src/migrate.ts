import { jobKinds } from "./app/jobs.ts";
import { synchronizeBuiltInRoles } from "./features/roles/built-in.ts";
import { migrate } from "./platform/db/migrations.ts";
import { migrateJobs } from "./platform/jobs/queue.ts";

/** Brings a database up to date: its own schema, the built-in roles, the job queue. Answers what it did, a line each. */
export async function migrateAll(databaseUrl: string): Promise<string[]> {
  const ran = (await migrate(databaseUrl)).map((name) => `migrated ${name}`);
  const roles = await synchronizeBuiltInRoles(databaseUrl);
  await migrateJobs(databaseUrl, jobKinds);
  return [...ran, ...roles];
}

if (import.meta.main) {
  const url = process.env.DATABASE_URL;
  if (!url) {
    console.error("DATABASE_URL is required");
    process.exit(1);
  }
  const ran = await migrateAll(url);
  console.log(ran.length > 0 ? ran.join("\n") : "the schema was up to date");
  console.log("the job queue is up to date");
  process.exit(0);
}
