import * as tickets from "#sql/helpdesk/tickets";
import type { RetentionQuery } from "../../core/retention.ts";

/** Sent ticket mails that no longer count for a limit. */
export const helpdeskRetention: RetentionQuery[] = [tickets.deleteOldTicketMails];
