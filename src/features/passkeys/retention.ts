import * as queries from "#sql/people/passkeys";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes expired records of used passkey challenges. */
export const passkeyRetention: RetentionQuery[] = [queries.deleteExpiredWebauthnChallenges];
