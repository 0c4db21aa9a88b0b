import * as twoFactor from "#sql/two-factor";
import type { RetentionQuery } from "../../core/retention.ts";

/** Expired sign-in challenges. */
export const twoFactorRetention: RetentionQuery[] = [twoFactor.deleteExpiredChallenges];
