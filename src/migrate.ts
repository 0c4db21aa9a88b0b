import { runCommand } from "./app/command.ts";
import { runMigrate } from "./app/migrate.ts";

/** `bun run migrate`: updates the database schema. */
process.exit(await runCommand(() => runMigrate(process.argv.slice(2))));
