import * as queries from "#sql/service-accounts";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes the rows of keys that expired or were revoked 90 days ago. */
export const apiKeyRetention: RetentionQuery[] = [queries.deleteEndedApiKeys];
