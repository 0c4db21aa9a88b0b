import * as tickets from "#sql/helpdesk/tickets";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes records of sent ticket mails that no longer count for a limit. */
export const helpdeskRetention: RetentionQuery[] = [tickets.deleteOldTicketMails];
