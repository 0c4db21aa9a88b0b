import { runCommand } from "./app/command.ts";
import { runMigrate } from "./app/migrate.ts";

/** `bun run migrate`: brings the database up to date. */
process.exit(await runCommand(() => runMigrate(process.argv.slice(2))));
