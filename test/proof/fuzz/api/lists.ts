import { type Check, type Exchange, finding, sendAgain } from "./exchange.ts";
import { FILTERS } from "./filters.ts";
import { byId } from "./operations.ts";
import { idOf, type Page, pageOf, type Row, UNPAGED_LISTS } from "./pages.ts";

/*
 * Checks a list against itself: its rows match its filters, are in its order, and are one page of the complete list.
 */

const PAGE_SIZE = 100;
/** The number of rows above which only one list in ten is checked, because such lists have many pages. */
const ALWAYS_COMPARED_ROWS = 100;
/** The maximum number of rows of a list that is compared. */
const MAX_ROWS = 2_000;

/**
 * Checks the rows of a list. Requests the list twice, because events of sign-ins are written after their response.
 */
export const checkList: Check = async (exchange) => {
  const page = pageOf(exchange.response);
  if (page === null || exchange.request.method !== "GET") return null;
  if ((await problemOf(exchange, page)) === null) return null;
  const secondPage = pageOf(await sendAgain(exchange));
  return finding("list", exchange, secondPage && (await problemOf(exchange, secondPage)));
};

/** A filter of a list, with the values that the request sent. */
export type Filter = readonly [name: string, values: string[]];

/** Returns false if the fields of the row show that a filter excludes it. */
export const matchesFilters = (row: Row, filters: Filter[]): boolean =>
  filters.every(([name, values]) => FILTERS[name]?.(row, values) !== false);

/**
 * Reads all pages of a list, and its total. Returns null if a page is rejected or the list has more than `MAX_ROWS` rows. The
 * total is that of a page of one row, because the last page knows the total by its rows.
 */
export async function readAll(
  exchange: Exchange,
  query: URLSearchParams,
): Promise<{ rows: Row[]; total: number } | null> {
  const [path = ""] = exchange.request.path.split("?");
  const pageQuery = new URLSearchParams(query);
  const read = async (number: number, size: number) => {
    pageQuery.set("page", String(number));
    pageQuery.set("pageSize", String(size));
    return pageOf(await sendAgain(exchange, { path: `${path}?${pageQuery}` }));
  };
  const rows: Row[] = [];
  for (let number = 1; ; number += 1) {
    const page = await read(number, PAGE_SIZE);
    if (page === null || page.total > MAX_ROWS) return null;
    rows.push(...page.data);
    if (rows.length < page.total && page.data.length === PAGE_SIZE) continue;
    return { rows, total: (await read(1, 1))?.total ?? page.total };
  }
}

async function problemOf(exchange: Exchange, page: Page): Promise<string | null> {
  const { plan, request } = exchange;
  const isUnpaged = UNPAGED_LISTS.has(plan.operation);
  const query = new URLSearchParams(request.path.split("?")[1] ?? "");
  const filters = [...new Set(query.keys())]
    .filter((name) => Object.hasOwn(FILTERS, name))
    .map((name): Filter => [name, query.getAll(name)]);
  const excluded = page.data.find((row) => !matchesFilters(row, filters));
  if (excluded !== undefined)
    return `shows ${JSON.stringify(excluded).slice(0, 400)}, which its filters exclude`;
  const unordered = isUnpaged ? null : findUnorderedRows(plan.operation, query, page.data);
  if (unordered !== null) return `shows in the wrong order ${unordered}`;
  if (page.total > MAX_ROWS || (page.total > ALWAYS_COMPARED_ROWS && plan.sampleKey % 10 !== 0)) return null;

  const filtered = await readAll(exchange, query);
  if (filtered === null) return "shows a page, but not all pages";
  if (filtered.rows.length !== filtered.total)
    return `has ${filtered.rows.length} rows on all pages and a total of ${filtered.total}`;
  const size = isUnpaged ? Math.max(filtered.total, 1) : page.pageSize;
  const slice = filtered.rows.slice((page.page - 1) * size, page.page * size);
  if (slice.map(idOf).join() !== page.data.map(idOf).join())
    return `shows ${page.data.map(idOf)} on page ${page.page}, where the complete list has ${slice.map(idOf)}`;
  return null;
}

/**
 * Finds two adjacent rows in the wrong order. Only ASCII texts are compared, because the service folds more than
 * the case of others.
 */
function findUnorderedRows(operation: string, query: URLSearchParams, rows: Row[]): string | null {
  const parameters = byId.get(operation)?.parameters ?? [];
  const queryValue = (name: string) =>
    query.get(name) ?? parameters.find((parameter) => parameter.name === name)?.schema.default;
  const sort = String(queryValue("sort") ?? "");
  const direction = queryValue("order") === "desc" ? -1 : 1;
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (next === undefined) return null;
    if (compareValues(row[sort], next[sort]) * direction > 0)
      return `by ${sort} ${queryValue("order")}: ${JSON.stringify(row[sort])}, ${JSON.stringify(next[sort])}`;
  }
  return null;
}

/** The order of names in the database (the collation natural_order): numbers in texts are ordered by their value. */
const natural = new Intl.Collator("und", { numeric: true, sensitivity: "base" });

function compareValues(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== "string" || typeof other !== "string") return 0;
  if (NAME.test(one) && NAME.test(other)) return natural.compare(one, other);
  if (!ASCII.test(one) || !ASCII.test(other)) return 0;
  const [before, after] = [one.toLowerCase(), other.toLowerCase()];
  return before < after ? -1 : before > after ? 1 : 0;
}

const NAME = /^[A-Za-z0-9 ]*$/;
const ASCII = /^[\x20-\x7e]*$/;
