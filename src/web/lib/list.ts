import { keepPreviousData, type UseQueryResult } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ListEndpoint, RequestOptions, Result } from "../../client/index.ts";
import { useApiQuery, useClient } from "../../client/react.ts";

/** The search parameters of a page with a list. The page may have further filters. */
export type ListSearch = {
  readonly page?: number;
  readonly sort?: string;
  readonly order?: "asc" | "desc";
  readonly search?: string;
};

type Raw = Record<string, unknown>;

/** Validates the search parameters of a route with a list (`validateSearch`). Drops invalid values. */
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

/** A list of the API, in the form that `DataTable` needs. */
export type List<Row> = {
  readonly rows: readonly Row[] | undefined;
  readonly total: number;
  readonly search: ListSearch;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly retry: () => void;
  /** Loads the rows of all pages, at most `MOST_ROWS`. */
  readonly all: () => Promise<readonly Row[]>;
  /** Changes search parameters. A change of anything but `page` returns to the first page. */
  readonly show: (change: Partial<ListSearch> & Raw) => void;
};

type RowOf<E extends GetList> = Result<E> extends { data: (infer Row)[] } ? Row : never;

/** The type of `client.request` without the types of the endpoints. */
type Request = (endpoint: ListEndpoint, options: object) => Promise<{ data: unknown[]; total: number }>;

/** The sizes of an export: rows in one request, and altogether. */
const [LARGE_PAGE, MOST_ROWS] = [100, 10_000];

/** The type of `useApiQuery` without the types of the endpoints, because `useList` has them in its signature. */
type UseList = (
  endpoint: ListEndpoint,
  options: object,
  settings: object,
) => UseQueryResult<{ data: unknown[]; total: number }>;

/**
 * Loads a list of the API. Page, order and search are in the URL, so that reload, back button and shared links show
 * the same rows.
 * @param defaults the order if the URL has none, and filters that the page always sets
 * @param parts the path parameters of the endpoint, and filter headers
 */
export function useList<E extends GetList>(
  endpoint: E,
  defaults: Query<E> = {} as Query<E>,
  parts: Partial<Pick<RequestOptions<E>, Extract<keyof RequestOptions<E>, "path" | "headers">>> = {},
): List<RowOf<E>> {
  const search = listSearch(useSearch({ strict: false }) as Raw);
  const navigate = useNavigate();
  const client = useClient();
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
    async all() {
      const rows: RowOf<E>[] = [];
      for (let page = 1; rows.length < MOST_ROWS; page += 1) {
        const query = { ...options.query, page, pageSize: LARGE_PAGE };
        const result = await (client.request as Request)(endpoint, { ...options, query });
        rows.push(...(result.data as RowOf<E>[]));
        if (result.data.length < LARGE_PAGE || rows.length >= result.total) break;
      }
      return rows;
    },
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

type Texts<Name extends string> = { [Key in Name]?: string };

/** Validates search parameters with these names, which are texts. */
export const texts =
  <Name extends string>(...names: Name[]) =>
  (raw: Raw) =>
    Object.fromEntries(
      names.filter((name) => typeof raw[name] === "string").map((name) => [name, raw[name]]),
    ) as Texts<Name>;

/** Validates the search parameters of a list, including text filters with these names. */
export const filtered =
  <Name extends string>(...names: Name[]) =>
  (raw: Raw) => ({ ...listSearch(raw), ...texts(...names)(raw) });
