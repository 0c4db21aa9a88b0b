import * as sessions from "#sql/sessions";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes refresh tokens that expired more than 30 days ago (rules 5.13). */
export const sessionRetention: RetentionQuery[] = [sessions.deleteLongExpiredTokens];
