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

export type TicketSearch = ListSearch & {
  readonly status?: Schemas["TicketStatus"];
  readonly category?: Schemas["TicketCategory"];
};

/** Validates the search parameters of ticket lists (`validateSearch`). */
export function ticketSearch(raw: Record<string, unknown>): TicketSearch {
  const status = STATUSES.find((one) => one === raw.status);
  const category = CATEGORIES.find((one) => one === raw.category);
  return { ...listSearch(raw), ...(status && { status }), ...(category && { category }) };
}
