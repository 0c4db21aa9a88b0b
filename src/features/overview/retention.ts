import { deleteOldActivity } from "#sql/overviews/organization";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes records of daily member activity after 90 days (rules 31.6). */
export const overviewRetention: RetentionQuery[] = [deleteOldActivity];
