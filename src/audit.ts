import { runAuditCommand } from "./app/audit-command.ts";
import { runCommand } from "./app/command.ts";

/** `bun run audit`: compares the audit log with the chains in which it was sealed. */
process.exit(await runCommand(() => runAuditCommand(process.argv.slice(2))));
