import { runAdmin } from "./app/platform-admin.ts";

/** `bun run admin <email>`: makes a platform administrator. */
process.exit(await runAdmin(process.argv.slice(2)));
