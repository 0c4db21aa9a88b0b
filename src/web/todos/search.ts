import { type ListSearch, listSearch } from "../lib/list.ts";

/** The filters of the list of all todos, as search parameters. */
export type TodoSearch = ListSearch & { readonly unit?: string; readonly member?: string };

/** The filter of the list of the user's own todos, as a search parameter. */
export type OwnTodoSearch = ListSearch & { readonly completed?: boolean };

export function ownTodoSearch(raw: Record<string, unknown>): OwnTodoSearch {
  const { completed } = raw;
  return { ...listSearch(raw), ...(typeof completed === "boolean" && { completed }) };
}

export function todoSearch(raw: Record<string, unknown>): TodoSearch {
  const id = (value: unknown) => (typeof value === "string" && /^[0-9a-f-]{36}$/.test(value) ? value : null);
  const [unit, member] = [id(raw.unit), id(raw.member)];
  return { ...listSearch(raw), ...(unit && { unit }), ...(member && { member }) };
}
