import * as attempts from "#sql/attempts";
import type { RetentionQuery } from "../retention.ts";

/** Password and code attempts that no longer count for a limit. */
export const attemptRetention: RetentionQuery[] = [attempts.deleteOldAttempts];
