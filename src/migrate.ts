import { migrateAll } from "./app/migrate.ts";

/** `bun run migrate`: brings the database up to date. */
const url = process.env.DATABASE_URL;
if (!url) {
  console.error("DATABASE_URL is required");
  process.exit(1);
}
const ran = await migrateAll(url);
console.log(ran.length > 0 ? ran.join("\n") : "the schema was up to date");
console.log("the job queue is up to date");
process.exit(0);
