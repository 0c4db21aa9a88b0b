import { runCommand } from "./app/command.ts";
import { runJobsCommand } from "./app/jobs-command.ts";

/** `bun run jobs`: lists, retries or deletes jobs that have failed. */
process.exit(await runCommand(() => runJobsCommand(process.argv.slice(2))));
