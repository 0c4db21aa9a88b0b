import { runCommand } from "./app/command.ts";
import { runPostRestore } from "./app/post-restore.ts";

/** `bun run restored`: ends sessions, links and jobs that a restored backup has brought back. */
process.exit(await runCommand(() => runPostRestore(process.argv.slice(2))));
