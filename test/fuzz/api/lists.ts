import { EXACT, isFilter, NECESSARY } from "./filters.ts";
import { byId } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { idOf, ON_ONE_PAGE, type Page, pageOf, type Row } from "./pages.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";

/*
 * A list is compared with itself: its rows are what its filters promise, in its order, those of its page of the whole,
 * and among those of the same list without filters, of which none is missing that satisfies them.
 */

/** More rows are not compared; those of platform administrators grow from case to case. */
const MOST = 100;

/** What is wrong with a list; asked twice, as events of sign-ins are written after their answer. */
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

async function problemOf(plan: Plan, request: Sent, page: Page, url: string): Promise<string | null> {
  const [path = "", query = ""] = request.path.split("?");
  const asked = new URLSearchParams(query);
  const filters = [...new Set(asked.keys())]
    .filter(isFilter)
    .map((name) => [name, asked.getAll(name)] as const);
  const isRight = (row: Row) =>
    filters.every(([name, values]) => (EXACT[name] ?? NECESSARY[name])?.(row, values) !== false);
  const odd = page.data.find((row) => !isRight(row));
  if (odd !== undefined) return `shows ${JSON.stringify(odd).slice(0, 400)}, which its filters leave out`;
  const pair = ON_ONE_PAGE.has(plan.operation) ? null : disordered(plan, asked, page.data);
  if (pair !== null) return `shows in the wrong order ${pair}`;
  if (page.total > MOST) return null;

  const read = async (kept: URLSearchParams, headers: RequestInit["headers"]) => {
    kept.set("page", "1");
    kept.set("pageSize", String(MOST));
    return pageOf(
      await sendPatiently(url, { ...request, path: `${path}?${kept}`, init: { ...request.init, headers } }),
    );
  };
  const whole = await read(new URLSearchParams(asked), request.init.headers);
  if (whole === null) return "shows a page, but not the first of 100 rows";
  const slice = ON_ONE_PAGE.has(plan.operation)
    ? page.page === 1
      ? whole.data
      : []
    : whole.data.slice((page.page - 1) * page.pageSize, page.page * page.pageSize);
  if (slice.map(idOf).join() !== page.data.map(idOf).join())
    return `shows ${page.data.map(idOf)} on page ${page.page}, where the whole list has ${slice.map(idOf)}`;

  const headers = request.init.headers as Record<string, string>;
  const narrowing = Object.keys(headers).filter((name) => name.startsWith("X-Filter-"));
  if (filters.length === 0 && narrowing.length === 0) return null;
  const plain = new URLSearchParams([...asked].filter(([name]) => !isFilter(name)));
  const all = await read(
    plain,
    Object.fromEntries(Object.entries(headers).filter(([name]) => !narrowing.includes(name))),
  );
  if (all === null || all.total > MOST) return null;
  const known = new Set(all.data.map(idOf));
  const shown = new Set(whole.data.map(idOf));
  const more = whole.data.find((row) => !known.has(idOf(row)));
  if (more !== undefined) return `shows ${idOf(more)}, which the list without filters lacks`;
  if (narrowing.length > 0 || !filters.every(([name]) => name in EXACT)) return null;
  const missing = all.data.find((row) => isRight(row) && !shown.has(idOf(row)));
  return missing === undefined
    ? null
    : `lacks ${JSON.stringify(missing).slice(0, 400)}, which its filters keep`;
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
