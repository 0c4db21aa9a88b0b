import type { List } from "../lib/list.ts";

/** Returns a list with these rows on the first of four pages. */
export const listOf = <Row>(rows: readonly Row[], change: Partial<List<Row>> = {}): List<Row> => ({
  rows,
  total: 63,
  search: { sort: "name", order: "asc" },
  error: null,
  isFetching: false,
  retry() {},
  all: async () => rows,
  show() {},
  ...change,
});
