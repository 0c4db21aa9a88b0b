import * as queries from "#sql/people/passkeys";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes used challenges that have expired. */
export const passkeyRetention: RetentionQuery[] = [queries.deleteExpiredWebauthnChallenges];
