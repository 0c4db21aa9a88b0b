import { runAuditCommand } from "./app/audit-command.ts";

/** `bun run audit`: compares the audit log with the chains in which it was sealed. */
process.exit(await runAuditCommand(process.argv.slice(2)));
