import * as accounts from "#sql/accounts";
import type { RetentionQuery } from "../../core/retention.ts";

/** Old verification and reset links (rules 5.13). */
export const accountRetention: RetentionQuery[] = [accounts.deleteOldVerifications, accounts.deleteOldResets];
