import { keepPreviousData, type UseQueryResult } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ListEndpoint, RequestOptions, Result } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";

/** What the address of a page with a list says about it; further filters stand beside. */
export type ListSearch = {
  readonly page?: number;
  readonly sort?: string;
  readonly order?: "asc" | "desc";
  readonly search?: string;
};

type Raw = Record<string, unknown>;

/** `validateSearch` of a route with a list: drops what is no valid value, so that no address breaks the page. */
export function listSearch(raw: Raw): ListSearch {
  const { page, sort, order, search } = raw;
  return {
    ...(Number.isSafeInteger(page) && Number(page) > 1 && { page: Number(page) }),
    ...(typeof sort === "string" && { sort }),
    ...((order === "asc" || order === "desc") && { order }),
    ...((typeof search === "string" || typeof search === "number") && { search: String(search) }),
  };
}

type GetList = ListEndpoint & `GET ${string}`;
type Query<E extends GetList> = RequestOptions<E> extends { query?: infer Q } ? Partial<Q> : never;

export const PAGE_SIZE = 20;

/** A list of the API, as `DataTable` shows it. */
export type List<Row> = {
  readonly rows: readonly Row[] | undefined;
  readonly total: number;
  readonly search: ListSearch;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly retry: () => void;
  /** Changes the address; a change of anything but the page begins at the first one. */
  readonly show: (change: Partial<ListSearch> & Raw) => void;
};

type RowOf<E extends GetList> = Result<E> extends { data: (infer Row)[] } ? Row : never;

/** `useApiQuery` without the types by endpoint, which `useList` has in its own signature. */
type UseList = (
  endpoint: ListEndpoint,
  options: object,
  settings: object,
) => UseQueryResult<{ data: unknown[]; total: number }>;

/**
 * A list of the API by the page, sort and search in the address, so that reload, back and a sent link show the same.
 * @param defaults sort and order where the address names none, and filters of the page itself
 * @param parts the values in the endpoint's path, and headers that filter
 */
export function useList<E extends GetList>(
  endpoint: E,
  defaults: Query<E> = {} as Query<E>,
  parts: Partial<Pick<RequestOptions<E>, Extract<keyof RequestOptions<E>, "path" | "headers">>> = {},
): List<RowOf<E>> {
  const search = listSearch(useSearch({ strict: false }) as Raw);
  const navigate = useNavigate();
  const options = { query: { pageSize: PAGE_SIZE, ...defaults, ...search }, ...parts };
  const { data, error, isFetching, refetch } = (useApiQuery as UseList)(endpoint, options, {
    placeholderData: keepPreviousData,
  });
  return {
    rows: data?.data as RowOf<E>[] | undefined,
    total: data?.total ?? 0,
    search: { ...(defaults as ListSearch), ...search },
    error,
    isFetching,
    retry: () => void refetch(),
    show(change) {
      const next = (now: Raw) =>
        Object.fromEntries(
          Object.entries({ ...now, page: undefined, ...change }).filter(
            ([, value]) => value !== undefined && value !== "",
          ),
        );
      void navigate({ to: ".", search: next as never, replace: !("page" in change) });
    },
  };
}
