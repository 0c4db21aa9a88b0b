import * as access from "#sql/access";
import * as attempts from "#sql/attempts";
import * as signInFailures from "#sql/sign-in-failures";
import type { RetentionQuery } from "../retention.ts";

/**
 * Deletes failed sign-ins and attempts that no longer count for a limit, and proofs of identity of ended sessions.
 */
export const attemptRetention: RetentionQuery[] = [
  attempts.deleteOldAttempts,
  signInFailures.deleteOldFailures,
  access.deleteProofsOfEndedSessions,
];
