import { runMigrate } from "./app/migrate.ts";

/** `bun run migrate`: brings the database up to date. */
process.exit(await runMigrate(process.argv.slice(2)));
