import * as accounts from "#sql/accounts";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes old verification and reset links (rules 5.13). */
export const accountRetention: RetentionQuery[] = [accounts.deleteOldVerifications, accounts.deleteOldResets];
