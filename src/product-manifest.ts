import { runManifestCommand } from "./app/manifest-command.ts";

/** `bun run product check <file>`: checks a manifest. */
process.exit(runManifestCommand(process.argv.slice(2)));
