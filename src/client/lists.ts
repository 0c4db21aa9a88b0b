import type { Parts } from "./http.ts";
import type { Endpoint, ListEndpoint, OptionalArguments, RequestOptions, Result, Row } from "./types.ts";

type Page = { readonly data: readonly unknown[]; readonly total: number; readonly pageSize: number };

/** The methods that request the pages of a list one after another, for these endpoints and with these further options. */
export type ListMethods<Allowed extends Endpoint = Endpoint, Options = unknown> = {
  /**
   * Yields the pages of a list, one request each: `for await (const page of client.pages("GET /api/members")) …`.
   * @throws ApiError, ConnectionError, from the iteration
   */
  readonly pages: <E extends ListEndpoint & Allowed>(
    endpoint: E,
    ...options: OptionalArguments<RequestOptions<E> & Options>
  ) => AsyncGenerator<Awaited<Result<E>>, void, undefined>;

  /**
   * Yields the rows of a list, page by page.
   * @throws ApiError, ConnectionError, from the iteration
   */
  readonly rows: <E extends ListEndpoint & Allowed>(
    endpoint: E,
    ...options: OptionalArguments<RequestOptions<E> & Options>
  ) => AsyncGenerator<Row<E>, void, undefined>;
};

/** Creates the methods without their types. */
export function createLists(request: (endpoint: Endpoint, parts: Parts) => Promise<unknown>) {
  async function* pages(endpoint: Endpoint, parts: Parts = {}): AsyncGenerator<Page, void, undefined> {
    const { query } = parts;
    for (let page = Number(query?.page ?? 1); ; page += 1) {
      const result = (await request(endpoint, { ...parts, query: { ...query, page } })) as Page;
      yield result;
      if (result.data.length === 0 || page * result.pageSize >= result.total) return;
    }
  }

  async function* rows(endpoint: Endpoint, parts?: Parts): AsyncGenerator<unknown, void, undefined> {
    for await (const { data } of pages(endpoint, parts)) yield* data;
  }

  return { pages, rows };
}
