import * as twoFactor from "#sql/two-factor";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes expired sign-in challenges. */
export const twoFactorRetention: RetentionQuery[] = [twoFactor.deleteExpiredChallenges];
