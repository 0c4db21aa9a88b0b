import * as rowCounts from "#sql/row-counts";
import type { BoundQuery } from "../platform/db/prepared-query.ts";

/** The lists whose rows are counted as they change (migrations/0023_row_counts.sql), by whom they are counted for. */
export type CountedList =
  /** Of an organization, or all. */
  | "audit_events"
  | "tickets"
  /** Of an organization. */
  | "memberships"
  /** Of a person. */
  | "notifications"
  | "unread_notifications"
  | "reported_tickets"
  /** Of nobody. */
  | "users"
  | "organizations";

/**
 * How many rows a list has that no filter narrows, the deleted left out: exact, and as quick for a million as for one.
 * @param owner the organization or person that it is the list of; null for all
 */
export const countRows = (list: CountedList, owner: string | null): BoundQuery<{ total: number }> =>
  owner === null ? rowCounts.countAll.with({ list }) : rowCounts.countOfOwner.with({ list, owner });

/** Whether nothing is left to narrow a list by. */
export const isUnfiltered = (filters: Record<string, unknown>): boolean =>
  Object.values(filters).every((filter) => filter === null);
