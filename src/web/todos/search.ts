import { type ListSearch, listSearch } from "../lib/list.ts";

/** Filters of the list of everybody's todos in the address. */
export type TodoSearch = ListSearch & { readonly unit?: string; readonly member?: string };

/** `validateSearch` of the list of everybody's todos. */
export function todoSearch(raw: Record<string, unknown>): TodoSearch {
  const id = (value: unknown) => (typeof value === "string" && /^[0-9a-f-]{36}$/.test(value) ? value : null);
  const [unit, member] = [id(raw.unit), id(raw.member)];
  return { ...listSearch(raw), ...(unit && { unit }), ...(member && { member }) };
}
