import { runCommand } from "./app/command.ts";
import { runRekey } from "./app/rekey.ts";

/** `bun run rekey`: re-encrypts stored values after a key change. */
process.exit(await runCommand(() => runRekey()));
