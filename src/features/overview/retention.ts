import { deleteOldActivity } from "#sql/overviews/organization";
import type { RetentionQuery } from "../../core/retention.ts";

/** Deletes the days of activity of members after 90 days (rules 31.6). */
export const overviewRetention: RetentionQuery[] = [deleteOldActivity];
