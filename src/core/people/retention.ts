import * as attempts from "#sql/attempts";
import * as signInFailures from "#sql/sign-in-failures";
import type { RetentionQuery } from "../retention.ts";

/** Failed sign-ins, and password and code attempts, that no longer count for a limit. */
export const attemptRetention: RetentionQuery[] = [
  attempts.deleteOldAttempts,
  signInFailures.deleteOldFailures,
];
