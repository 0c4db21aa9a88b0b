import { runCommand } from "./app/command.ts";
import { runPostRestore } from "./app/post-restore.ts";

/** `bun run restored`: ends what a restored backup brings back and must not: sessions, links and jobs. */
process.exit(await runCommand(() => runPostRestore(process.argv.slice(2))));
