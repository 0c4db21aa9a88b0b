import { runCommand } from "./app/command.ts";
import { runRestored } from "./app/restored.ts";

/** `bun run restored`: ends what a restored backup brings back and must not: sessions, links and jobs. */
process.exit(await runCommand(() => runRestored(process.argv.slice(2))));
