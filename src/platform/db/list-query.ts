import type { Database } from "./connection.ts";
import type { PreparedQuery } from "./prepared-query.ts";

/** The page size of first pages that have their own query. */
const FIRST_PAGE_SIZE = 20;

type Values = Record<string, unknown>;

/** The position and size of a page, and the end of the list from which its rows are read. */
export type PageWindow = { limit: number; offset: string; descending: boolean };

/** The query of a first page, generated in sql/*.pages.sql. */
type FirstPage<Row> = {
  /** The filters that are set when this query is used. */
  filters: readonly string[];
  /** The filters that are null when this query is used, because it has no conditions for them. */
  without: readonly string[];
  sort: string | null;
  descending: boolean;
  /** Whether the query also returns the total of the list. */
  hasTotal: boolean;
  query: PreparedQuery<never, Row>;
};

/**
 * A list: one query for all sorts and filters, and separate queries for frequent first pages, whose plans
 * PostgreSQL caches. No cached plan suits all uses of the general query, and planning it costs more than the page
 * itself. But the best plan for other filters and later pages depends on the values, so these are planned each time
 * (docs/decisions/0007).
 */
export class ListQuery<Params extends object, Row> {
  constructor(
    private readonly query: PreparedQuery<Params, Row>,
    private readonly firstPages: readonly FirstPage<Row>[],
  ) {}

  run(params: Params, db: Pick<Database, "pages" | "lists">): Promise<Row[]> {
    const page = this.firstPageFor(params as Values);
    return page === undefined ? this.query.run(params, db.lists) : page.query.run(params as never, db.pages);
  }

  /**
   * Returns a first page and the total of its list with one statement, or null if there is no query for this page.
   * An empty first page means an empty list, because both come from one snapshot.
   */
  runWithTotal(params: Params, db: Pick<Database, "pages">): Promise<{ rows: Row[]; total: number }> | null {
    const page = this.firstPageFor(params as Values);
    if (page === undefined || !page.hasTotal) return null;
    return page.query.run(params as never, db.pages).then((rows) => ({
      rows,
      total: (rows[0] as { total: number } | undefined)?.total ?? 0,
    }));
  }

  /** Reads the pages of the list with these filters. */
  pages(filters: Omit<Params, keyof PageWindow>, db: Pick<Database, "pages" | "lists">) {
    const within = (window: PageWindow) => ({ ...filters, ...window }) as unknown as Params;
    return {
      rows: (window: PageWindow) => this.run(within(window), db),
      withTotal: (window: PageWindow) => this.runWithTotal(within(window), db),
    };
  }

  private firstPageFor(values: Values): FirstPage<Row> | undefined {
    if (Number(values.limit) !== FIRST_PAGE_SIZE || Number(values.offset) !== 0) return undefined;
    const { sort = null, descending } = values;
    const isSet = (filter: string) => (values[filter] ?? null) !== null;
    return this.firstPages.find(
      (page) =>
        page.sort === sort &&
        page.descending === descending &&
        page.filters.every(isSet) &&
        !page.without.some(isSet),
    );
  }
}
