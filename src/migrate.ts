import { migrate } from "./db/migrations.ts";
import { jobKinds } from "./jobs/kinds.ts";
import { migrateJobs } from "./jobs/queue.ts";

/** Brings a database up to date: its own schema, then the job queue's. Answers what it did, a line each. */
export async function migrateAll(databaseUrl: string): Promise<string[]> {
  const ran = await migrate(databaseUrl);
  await migrateJobs(databaseUrl, jobKinds);
  return ran;
}

if (import.meta.main) {
  const url = process.env.DATABASE_URL;
  if (!url) {
    console.error("DATABASE_URL is required");
    process.exit(1);
  }
  const ran = await migrateAll(url);
  console.log(
    ran.length > 0 ? ran.map((name) => `migrated ${name}`).join("\n") : "the schema was up to date",
  );
  console.log("the job queue is up to date");
  process.exit(0);
}
