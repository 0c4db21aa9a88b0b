import { runCommand } from "./app/command.ts";
import { runAdmin } from "./app/platform-admin.ts";

/** `bun run admin <email>`: creates a platform administrator. */
process.exit(await runCommand(() => runAdmin(process.argv.slice(2))));
