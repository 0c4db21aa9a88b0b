import { runAuditCommand } from "./app/audit-command.ts";
import { runCommand } from "./app/command.ts";

/** `bun run audit`: compares the audit log with its seals. */
process.exit(await runCommand(() => runAuditCommand(process.argv.slice(2))));
