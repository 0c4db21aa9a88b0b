import type { Parts } from "./http.ts";
import type { Endpoint } from "./types.ts";

type Page = { readonly data: readonly unknown[]; readonly total: number; readonly pageSize: number };

/** Creates the functions that request the pages of a list one after another. The public types narrow them. */
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
