import { runCommand } from "./app/command.ts";
import { runManifestCommand } from "./app/manifest-command.ts";

/** `bun run product check <file>`: checks a manifest. */
process.exit(await runCommand(() => runManifestCommand(process.argv.slice(2))));
