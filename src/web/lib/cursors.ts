import { useState } from "react";
import type { List } from "./list.ts";

/** Pages of a list that continues by cursor: the cursors of the pages before the current one are kept. */
export function useCursors() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    after: cursors.at(-1),
    isFirst: cursors.length === 0,
    next: (cursor: string) => setCursors([...cursors, cursor]),
    back: () => setCursors(cursors.slice(0, -1)),
    reset: () => setCursors([]),
  };
}

type Query<Row> = {
  readonly data: { readonly data: readonly Row[] } | undefined;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
};

/**
 * Returns one page of a list that continues by cursor, as `DataTable` shows it.
 * @param show changes the filters of the list
 */
export const listOfPage = <Row>(
  { data, error, isFetching, refetch }: Query<Row>,
  show: (change: Record<string, string | undefined>) => void = () => {},
): List<Row> => ({
  rows: data?.data,
  total: data?.data.length ?? 0,
  search: {},
  error,
  isFetching,
  retry: () => void refetch(),
  all: async () => data?.data ?? [],
  show: show as List<Row>["show"],
});
