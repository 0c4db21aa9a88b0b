import * as billing from "#sql/billing";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes processed webhook events. */
export const billingRetention: RetentionQuery[] = [billing.deleteOldPaymentEvents];
