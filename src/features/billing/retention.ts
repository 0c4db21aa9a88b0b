import * as billing from "#sql/billing";
import type { RetentionQuery } from "../../core/retention.ts";

/** Processed webhook events. */
export const billingRetention: RetentionQuery[] = [billing.deleteOldPaymentEvents];
