import * as invitations from "#sql/invitations";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes records of sent invitation mails that no longer count for a limit. */
export const invitationRetention: RetentionQuery[] = [invitations.deleteOldSends];
