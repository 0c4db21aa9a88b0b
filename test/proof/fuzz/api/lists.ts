import { EXACT, isFilter, NECESSARY } from "./filters.ts";
import { byId } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { idOf, ON_ONE_PAGE, type Page, pageOf, type Row } from "./pages.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";

/*
 * A list is compared with itself. Its rows are what its filters promise, in its order, and those of the same page of the whole
 * list. They are rows of the list without filters, and no row of that list that satisfies the filters is missing.
 */

const PAGE_SIZE = 100;
/** Lists with more rows are compared by one request in ten, because they take many pages. */
const SHORT = 100;
/** Lists with more rows are not compared. */
const MOST = 2_000;

/** What is wrong with a list; asked twice, because events of sign-ins are written after their response. */
export async function wrongList(
  plan: Plan,
  request: Sent,
  answer: Answer,
  url: string,
): Promise<Finding | null> {
  const page = pageOf(answer);
  if (page === null || request.method !== "GET") return null;
  if ((await problemOf(plan, request, page, url)) === null) return null;
  const again = pageOf(await sendPatiently(url, request));
  const problem = again && (await problemOf(plan, request, again, url));
  return problem ? { kind: "list", what: `${request.line}\n    ${problem}` } : null;
}

/** A filter of a list with its values. */
export type Filter = readonly [name: string, values: string[]];

/** Whether no filter leaves the row out, as far as the row says it. */
export const satisfies = (row: Row, filters: Filter[]): boolean =>
  filters.every(([name, values]) => (EXACT[name] ?? NECESSARY[name])?.(row, values) !== false);

/** Whether a list with these filters must show the row. */
const mustShow = (row: Row, filters: Filter[]): boolean =>
  filters.every(([name, values]) => EXACT[name]?.(row, values) === true);

/** All rows of a list, page by page; null if it is refused or has more than `MOST` rows. */
export async function readAll(
  url: string,
  request: Sent,
  query: URLSearchParams,
  headers: RequestInit["headers"] = request.init.headers,
): Promise<{ rows: Row[]; total: number } | null> {
  const [path = ""] = request.path.split("?");
  const asked = new URLSearchParams(query);
  asked.set("pageSize", String(PAGE_SIZE));
  const rows: Row[] = [];
  for (let number = 1; ; number += 1) {
    asked.set("page", String(number));
    const init = { ...request.init, headers };
    const page = pageOf(await sendPatiently(url, { ...request, path: `${path}?${asked}`, init }));
    if (page === null || page.total > MOST) return null;
    rows.push(...page.data);
    if (rows.length >= page.total || page.data.length < PAGE_SIZE) return { rows, total: page.total };
  }
}

async function problemOf(plan: Plan, request: Sent, page: Page, url: string): Promise<string | null> {
  const asked = new URLSearchParams(request.path.split("?")[1] ?? "");
  const filters = [...new Set(asked.keys())]
    .filter(isFilter)
    .map((name): Filter => [name, asked.getAll(name)]);
  const odd = page.data.find((row) => !satisfies(row, filters));
  if (odd !== undefined) return `shows ${JSON.stringify(odd).slice(0, 400)}, which its filters leave out`;
  const pair = ON_ONE_PAGE.has(plan.operation) ? null : disordered(plan, asked, page.data);
  if (pair !== null) return `shows in the wrong order ${pair}`;
  if (page.total > MOST || (page.total > SHORT && plan.dice % 10 !== 0)) return null;

  const whole = await readAll(url, request, asked);
  if (whole === null) return "shows a page, but not all pages";
  if (whole.rows.length !== whole.total)
    return `has ${whole.rows.length} rows on all pages and a total of ${whole.total}`;
  const slice = ON_ONE_PAGE.has(plan.operation)
    ? page.page === 1
      ? whole.rows
      : []
    : whole.rows.slice((page.page - 1) * page.pageSize, page.page * page.pageSize);
  if (slice.map(idOf).join() !== page.data.map(idOf).join())
    return `shows ${page.data.map(idOf)} on page ${page.page}, where the whole list has ${slice.map(idOf)}`;

  const { headers, narrowing } = unnarrowed(request);
  if (filters.length === 0 && narrowing === 0) return null;
  const plain = new URLSearchParams([...asked].filter(([name]) => !isFilter(name)));
  const all = await readAll(url, request, plain, headers);
  if (all === null) return null;
  const known = new Set(all.rows.map(idOf));
  const shown = new Set(whole.rows.map(idOf));
  const more = whole.rows.find((row) => !known.has(idOf(row)));
  if (more !== undefined) return `shows ${idOf(more)}, which the list without filters lacks`;
  if (narrowing > 0) return null;
  const missing = all.rows.find((row) => mustShow(row, filters) && !shown.has(idOf(row)));
  return missing === undefined
    ? null
    : `lacks ${JSON.stringify(missing).slice(0, 400)}, which its filters keep`;
}

/** The headers of a request without those that filter a list, and the number of these. */
export function unnarrowed({ init }: Sent): { headers: Record<string, string>; narrowing: number } {
  const all = Object.entries(init.headers as Record<string, string>);
  const left = all.filter(([name]) => !name.startsWith("X-Filter-"));
  return { headers: Object.fromEntries(left), narrowing: all.length - left.length };
}

/** Two neighbours that are the wrong way round. Texts are compared where they are plain; others are folded. */
function disordered({ operation }: Plan, asked: URLSearchParams, rows: Row[]): string | null {
  const parameters = byId.get(operation)?.parameters ?? [];
  const chosen = (name: string) =>
    asked.get(name) ?? parameters.find((parameter) => parameter.name === name)?.schema.default;
  const sort = String(chosen("sort") ?? "");
  const direction = chosen("order") === "desc" ? -1 : 1;
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (next === undefined) return null;
    if (compared(row[sort], next[sort]) * direction > 0)
      return `by ${sort} ${chosen("order")}: ${JSON.stringify(row[sort])}, ${JSON.stringify(next[sort])}`;
  }
  return null;
}

function compared(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (!isPlain(one) || !isPlain(other)) return 0;
  const [before, after] = [one.toLowerCase(), other.toLowerCase()];
  return before < after ? -1 : before > after ? 1 : 0;
}

const isPlain = (value: unknown): value is string =>
  typeof value === "string" && /^[\x20-\x7e]*$/.test(value);
