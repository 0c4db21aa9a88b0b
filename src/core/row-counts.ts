import * as rowCounts from "#sql/row-counts";
import type { BoundQuery } from "../platform/db/prepared-query.ts";

/**
 * The lists whose rows are counted at every change (migrations/0002_row_counts.sql), grouped by the owner of the
 * count.
 */
export type CountedList =
  /** Lists whose rows are counted for each organization and for the whole platform. */
  | "audit_events"
  | "tickets"
  /** Lists whose rows are counted for each organization. */
  | "memberships"
  /** Lists whose rows are counted for each user. */
  | "notifications"
  | "unread_notifications"
  | "reported_tickets"
  /** Lists whose rows are counted for the whole platform. */
  | "users"
  | "organizations";

/**
 * Returns the number of rows in an unfiltered list, without deleted ones. The number is exact, and reading it takes
 * the same time for a million rows as for one.
 * @param owner the organization or person to which the list belongs; null for all
 */
export const countRows = (list: CountedList, owner: string | null): BoundQuery<{ total: number }> =>
  owner === null ? rowCounts.countAll.with({ list }) : rowCounts.countOfOwner.with({ list, owner });

/** Whether a list query has no filters. */
export const isUnfiltered = (filters: Record<string, unknown>): boolean =>
  Object.values(filters).every((filter) => filter === null);
