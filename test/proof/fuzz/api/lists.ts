import { EXACT_FILTERS, isFilter, NARROWING_FILTERS } from "./filters.ts";
import { byId } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { idOf, type Page, pageOf, type Row, UNPAGED_LISTS } from "./pages.ts";
import type { RequestPlan } from "./requests.ts";
import { type ApiResponse, type BuiltRequest, sendWithRetries } from "./send.ts";

/*
 * Checks a list against itself.
 * - Its rows match its filters, are in its order, and are one page of the complete list.
 * - All rows are in the list without filters.
 * - Every row of the list without filters that matches the filters is in the list.
 */

const PAGE_SIZE = 100;
/** The number of rows above which only one list in ten is checked, because such lists have many pages. */
const ALWAYS_COMPARED_ROWS = 100;
/** The maximum number of rows of a list that is compared. */
const MAX_ROWS = 2_000;

/**
 * Checks the rows of a list. Requests the list twice, because events of sign-ins are written after their response.
 */
export async function checkList(
  plan: RequestPlan,
  request: BuiltRequest,
  response: ApiResponse,
  url: string,
): Promise<Finding | null> {
  const page = pageOf(response);
  if (page === null || request.method !== "GET") return null;
  if ((await problemOf(plan, request, page, url)) === null) return null;
  const secondPage = pageOf(await sendWithRetries(url, request));
  const problem = secondPage && (await problemOf(plan, request, secondPage, url));
  return problem ? { kind: "list", what: `${request.line}\n    ${problem}` } : null;
}

/** A filter of a list, with the values that the request sent. */
export type Filter = readonly [name: string, values: string[]];

/** Returns false if the fields of the row show that a filter excludes it. */
export const matchesFilters = (row: Row, filters: Filter[]): boolean =>
  filters.every(
    ([name, values]) => (EXACT_FILTERS[name] ?? NARROWING_FILTERS[name])?.(row, values) !== false,
  );

/** Whether a list with these filters must include the row. */
const mustInclude = (row: Row, filters: Filter[]): boolean =>
  filters.every(([name, values]) => EXACT_FILTERS[name]?.(row, values) === true);

/** Reads all pages of a list. Returns null if a page is rejected or the list has more than `MAX_ROWS` rows. */
export async function readAll(
  url: string,
  request: BuiltRequest,
  query: URLSearchParams,
  headers: RequestInit["headers"] = request.init.headers,
): Promise<{ rows: Row[]; total: number } | null> {
  const [path = ""] = request.path.split("?");
  const pageQuery = new URLSearchParams(query);
  pageQuery.set("pageSize", String(PAGE_SIZE));
  const rows: Row[] = [];
  for (let number = 1; ; number += 1) {
    pageQuery.set("page", String(number));
    const init = { ...request.init, headers };
    const page = pageOf(await sendWithRetries(url, { ...request, path: `${path}?${pageQuery}`, init }));
    if (page === null || page.total > MAX_ROWS) return null;
    rows.push(...page.data);
    if (rows.length >= page.total || page.data.length < PAGE_SIZE) return { rows, total: page.total };
  }
}

async function problemOf(
  plan: RequestPlan,
  request: BuiltRequest,
  page: Page,
  url: string,
): Promise<string | null> {
  const query = new URLSearchParams(request.path.split("?")[1] ?? "");
  const filters = [...new Set(query.keys())]
    .filter(isFilter)
    .map((name): Filter => [name, query.getAll(name)]);
  const excluded = page.data.find((row) => !matchesFilters(row, filters));
  if (excluded !== undefined)
    return `shows ${JSON.stringify(excluded).slice(0, 400)}, which its filters exclude`;
  const unordered = UNPAGED_LISTS.has(plan.operation) ? null : findUnorderedRows(plan, query, page.data);
  if (unordered !== null) return `shows in the wrong order ${unordered}`;
  if (page.total > MAX_ROWS || (page.total > ALWAYS_COMPARED_ROWS && plan.sampleKey % 10 !== 0)) return null;

  const filtered = await readAll(url, request, query);
  if (filtered === null) return "shows a page, but not all pages";
  if (filtered.rows.length !== filtered.total)
    return `has ${filtered.rows.length} rows on all pages and a total of ${filtered.total}`;
  const slice = UNPAGED_LISTS.has(plan.operation)
    ? page.page === 1
      ? filtered.rows
      : []
    : filtered.rows.slice((page.page - 1) * page.pageSize, page.page * page.pageSize);
  if (slice.map(idOf).join() !== page.data.map(idOf).join())
    return `shows ${page.data.map(idOf)} on page ${page.page}, where the complete list has ${slice.map(idOf)}`;

  const { headers, filterHeaders } = withoutFilterHeaders(request);
  if (filters.length === 0 && filterHeaders === 0) return null;
  const unfilteredQuery = new URLSearchParams([...query].filter(([name]) => !isFilter(name)));
  const unfiltered = await readAll(url, request, unfilteredQuery, headers);
  if (unfiltered === null) return null;
  const unfilteredIds = new Set(unfiltered.rows.map(idOf));
  const filteredIds = new Set(filtered.rows.map(idOf));
  const additional = filtered.rows.find((row) => !unfilteredIds.has(idOf(row)));
  if (additional !== undefined) return `shows ${idOf(additional)}, which the list without filters lacks`;
  if (filterHeaders > 0) return null;
  const missing = unfiltered.rows.find((row) => mustInclude(row, filters) && !filteredIds.has(idOf(row)));
  return missing === undefined
    ? null
    : `lacks ${JSON.stringify(missing).slice(0, 400)}, which matches its filters`;
}

/** Returns the headers of a request without filter headers, and the number of filter headers. */
export function withoutFilterHeaders({ init }: BuiltRequest): {
  headers: Record<string, string>;
  filterHeaders: number;
} {
  const all = Object.entries(init.headers as Record<string, string>);
  const left = all.filter(([name]) => !name.startsWith("X-Filter-"));
  return { headers: Object.fromEntries(left), filterHeaders: all.length - left.length };
}

/**
 * Finds two adjacent rows in the wrong order. Only ASCII texts are compared, because the service folds more than
 * the case of others.
 */
function findUnorderedRows({ operation }: RequestPlan, query: URLSearchParams, rows: Row[]): string | null {
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
