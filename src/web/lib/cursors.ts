import { useState } from "react";
import type { List } from "./list.ts";

/**
 * Pages of a list that continues by cursor: the cursors of the pages before the current one are kept.
 * @param list names the list with its filters. Another one starts at its first page.
 */
export function useCursors(list: string) {
  const [kept, setKept] = useState<{ list: string; cursors: readonly string[] }>({ list, cursors: [] });
  const cursors = kept.list === list ? kept.cursors : [];
  return {
    after: cursors.at(-1),
    isFirst: cursors.length === 0,
    next: (cursor: string) => setKept({ list, cursors: [...cursors, cursor] }),
    back: () => setKept({ list, cursors: cursors.slice(0, -1) }),
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
