import type { Database } from "../../platform/db/connection.ts";
import type { PreparedQuery } from "../../platform/db/prepared-query.ts";

/** The page size of first pages that have their own query. */
const FIRST_PAGE_SIZE = 20;
/** The offset from which querying the total first saves time. */
const DEEP_OFFSET = 1_000;

/** The position and size of a page, and the end of the list from which its rows are read. */
type PageWindow = { limit: number; offset: string; descending: boolean };

/** The part of a request's query that every list has (`listQuery`). */
type Paging = { page: number; pageSize: number; order: "asc" | "desc" };

type Query<Row> = PreparedQuery<never, Row>;

/**
 * The queries of a list, generated from its `@list` in a .sql file (docs/extend.md). `page` and `count` serve any
 * filters and order, so PostgreSQL plans them for each request. First pages that are read often have a query of their
 * own, whose plan PostgreSQL caches (docs/decisions/0007).
 */
export type List<_Params, Row> = {
  /** The names of all filters. Null means that a filter is not set. */
  filters: readonly string[];
  page: Query<Row>;
  count: Query<{ total: number }>;
  /** The queries for maintained totals, each with the filters that are set. */
  totals: readonly { filters: readonly string[]; query: Query<{ total: number | null }> }[];
  firstPages: readonly {
    /** The filters that are set; the query has no conditions for the others. */
    filters: readonly string[];
    /** Null if the list has a single sort. */
    sort: string | null;
    descending: boolean;
    /** Whether each row also has the total of the list. */
    hasTotal: boolean;
    query: Query<Row>;
  }[];
};

/** The parameters of a list: those of its page, where a list of organizations stands for a single one too. */
type Filters<Params> = Omit<
  Params,
  keyof PageWindow | ("organizations" extends keyof Params ? "organizationId" : never)
>;

type Reads = { db: Pick<Database, "pages" | "lists"> };

/**
 * Reads one page of a list and its total: in one statement, or in two statements with the same filters.
 * @param params the query of the request, and the filters that it does not name
 * @param present converts a row to an item of the response
 * @example list(queries.notes, call, { ...query, organizationId: call.organizationId, units }, present)
 */
export async function list<Params, Row, Item = Row>(
  queries: List<Params, Row>,
  { db }: Reads,
  params: Filters<Params> & Paging,
  present: (row: Row) => Item = (row) => row as unknown as Item,
  count?: (params: Params) => Promise<number>,
) {
  const { page, pageSize, order } = params;
  const values = withOneOrganization(queries, params);
  const offset = (page - 1) * pageSize;
  const read = (window: { limit: number; offset: number; backwards?: boolean }) => {
    const descending = (order === "desc") !== (window.backwards ?? false);
    return readRows(queries, db, { ...values, ...window, offset: String(window.offset), descending });
  };
  const totalOf = () => count?.(values as Params) ?? readTotal(queries, db, values);
  const pageWith = (rows: Row[], total: number) => ({ data: rows.map(present), total, page, pageSize });

  if (offset === 0) {
    const { rows, total } = await read({ limit: pageSize, offset });
    // A first page that is not full contains the whole list.
    return pageWith(rows, total ?? (rows.length < pageSize ? rows.length : await totalOf()));
  }
  if (offset <= DEEP_OFFSET) {
    const [{ rows }, total] = await Promise.all([read({ limit: pageSize, offset }), totalOf()]);
    return pageWith(rows, total);
  }
  const total = await totalOf();
  const left = total - offset;
  if (left <= 0) return pageWith([], total);
  if (left > offset) return pageWith((await read({ limit: pageSize, offset })).rows, total);
  // The page is nearer to the end of the list, so it is read from there.
  const limit = Math.min(pageSize, left);
  const { rows } = await read({ limit, offset: left - limit, backwards: true });
  return pageWith(rows.reverse(), total);
}

type Values = Record<string, unknown>;

/** Makes a single organization its own filter, if the list has one for it. */
function withOneOrganization({ filters }: Pick<List<never, never>, "filters">, params: object): Values {
  if (!filters.includes("organizationId")) return { ...params };
  const { organizations, organizationId = null } = params as Values;
  const isOne = Array.isArray(organizations) && organizations.length === 1;
  return { ...params, ...(isOne ? organizationScope(organizations) : { organizationId }) };
}

/**
 * Converts a filter by organizations to query parameters. A single organization has its own parameter, because an
 * index keeps its order for one value but not for an array. Several organizations are an array; null means all.
 */
export const organizationScope = (ids: string[] | null) =>
  ids?.length === 1
    ? { organizationId: ids[0] as string, organizations: null }
    : { organizationId: null, organizations: ids };

const isSet = (values: Values) => (filter: string) => (values[filter] ?? null) !== null;

/** Whether exactly these filters are set. */
const areSet = (filters: readonly string[], all: readonly string[], values: Values) =>
  all.filter(isSet(values)).length === filters.length && filters.every(isSet(values));

/** Reads rows, with the query of a first page if there is one. An empty first page means an empty list. */
async function readRows<Row>(
  { page, filters, firstPages }: List<unknown, Row>,
  db: Reads["db"],
  values: Values,
): Promise<{ rows: Row[]; total: number | null }> {
  const isFirst = values.limit === FIRST_PAGE_SIZE && values.offset === "0";
  const first = isFirst
    ? firstPages.find(
        (one) =>
          (one.sort === null || one.sort === values.sort) &&
          one.descending === values.descending &&
          areSet(one.filters, filters, values),
      )
    : undefined;
  if (first === undefined) return { rows: await page.run(values as never, db.lists), total: null };
  const found = await first.query.run(values as never, db.pages);
  if (!first.hasTotal) return { rows: found, total: null };
  const { total } = (found[0] ?? { total: 0 }) as { total: number };
  const rows = found.map((row) => {
    const { total: _, ...columns } = row as { total: number };
    return columns as Row;
  });
  return { rows, total };
}

async function readTotal(
  { count, filters, totals }: Pick<List<unknown, unknown>, "count" | "filters" | "totals">,
  db: Reads["db"],
  values: Values,
): Promise<number> {
  const stored = totals.find((one) => areSet(one.filters, filters, values));
  const [row] =
    stored === undefined
      ? await count.run(values as never, db.lists)
      : await stored.query.run(values as never, db.pages);
  return row?.total ?? 0;
}
