import type { Schemas } from "../../client/index.ts";
import { type ListSearch, listSearch } from "../lib/list.ts";

export const STATUSES: readonly Schemas["TicketStatus"][] = ["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"];
export const CATEGORIES: readonly Schemas["TicketCategory"][] = [
  "BUG",
  "QUESTION",
  "ACCOUNT",
  "BILLING",
  "FEATURE",
  "OTHER",
];

/** The filter for tickets that are open or in progress. */
export const UNRESOLVED = "UNRESOLVED";
export type StatusFilter = Schemas["TicketStatus"] | typeof UNRESOLVED;

export const STATUS_FILTERS: readonly StatusFilter[] = [UNRESOLVED, ...STATUSES];

export const statusesOf = (filter: StatusFilter): Schemas["TicketStatus"][] =>
  filter === UNRESOLVED ? ["OPEN", "IN_PROGRESS"] : [filter];

type TicketSearch = ListSearch & {
  readonly status?: StatusFilter;
  readonly category?: Schemas["TicketCategory"];
};

export function ticketSearch(raw: Record<string, unknown>): TicketSearch {
  const status = STATUS_FILTERS.find((one) => one === raw.status);
  const category = CATEGORIES.find((one) => one === raw.category);
  return { ...listSearch(raw), ...(status && { status }), ...(category && { category }) };
}
