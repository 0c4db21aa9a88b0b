import { isFilter } from "./filters.ts";
import { type Filter, readAll, satisfies, unnarrowed } from "./lists.ts";
import { byId, resolved, type Schema } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { idOf, pageOf, type Row } from "./pages.ts";
import type { Plan } from "./requests.ts";
import type { Answer, Sent } from "./send.ts";
import type { World } from "./world.ts";

/*
 * Two filters together show rows of the list without filters only. Each list is asked for all pairs of its filters, with values
 * that match most rows, of the caller's units and people as well as of others.
 */

/** One in so many lists is asked, because that takes up to 50 requests. */
const ONE_IN = 4;
/** Ids in one filter: enough for all that a world has planted. */
const MOST_IDS = 20;
/** A letter of every text that lists search. */
const COMMON = "o";

function valuesOf(name: string, schema: Schema, { organizations: { own, other } }: World): string[] {
  const ids = (kind: string) =>
    [...(own.ids[kind] ?? []), ...(other.ids[kind] ?? []).slice(0, 2)].slice(0, MOST_IDS);
  const { type, items = schema } = resolved(schema);
  const choices = (resolved(items).enum ?? []).map(String);
  switch (name) {
    case "member":
      return ids("user");
    case "unit":
      return ids("unit");
    case "organization":
      return ids("organization");
    case "actorId":
      return [own.founder];
    case "targetId":
      return [own.unit];
    case "targetType":
      return ["unit"];
    case "action":
      return ["UNIT_CREATED"];
    case "search":
      return [COMMON];
    case "from":
      return ["2020-01-01"];
    case "to":
      return ["2099-12-31"];
    default:
      return type === "array" ? choices : choices.length > 0 ? choices.slice(0, 1) : ["false"];
  }
}

/** A pair of filters that shows a row which it should not; asked twice, because events of sign-ins are written late. */
export async function wrongPair(
  plan: Plan,
  request: Sent,
  answer: Answer,
  world: World,
  url: string,
): Promise<Finding | null> {
  const { method, parameters = [] } = byId.get(plan.operation) ?? {};
  if (method !== "GET" || plan.dice % ONE_IN !== 0 || pageOf(answer) === null) return null;
  const filters = parameters
    .filter((one) => one.in === "query" && isFilter(one.name))
    .map(({ name, schema }): Filter => [name, valuesOf(name, schema, world)]);
  if (filters.length < 2) return null;
  const asked: Sent = { ...request, init: { ...request.init, headers: unnarrowed(request).headers } };
  const read = (some: Filter[]) =>
    readAll(
      url,
      asked,
      new URLSearchParams(
        some.flatMap(([name, values]) => values.map((one): [string, string] => [name, one])),
      ),
    );
  const problemOf = async (pair: Filter[], all: Set<string>): Promise<string | null> => {
    const shown = await read(pair);
    if (shown === null) return null;
    const odd = shown.rows.find((row) => !satisfies(row, pair) || !all.has(idOf(row)));
    if (odd !== undefined)
      return `shows ${shownOf(odd)}, which the list without filters lacks or a filter leaves out`;
    return shown.rows.length === shown.total
      ? null
      : `has ${shown.rows.length} rows on all pages and a total of ${shown.total}`;
  };
  const whole = async () => {
    const all = await read([]);
    return all && new Set(all.rows.map(idOf));
  };
  const all = await whole();
  if (all === null) return null;
  for (const [index, one] of filters.entries())
    for (const other of filters.slice(index + 1)) {
      const pair = [one, other];
      if ((await problemOf(pair, all)) === null) continue;
      const problem = await problemOf(pair, (await whole()) ?? all);
      if (problem !== null)
        return {
          kind: "list",
          what: `${request.line}\n    with ${one[0]}=${one[1]} and ${other[0]}=${other[1]} ${problem}`,
        };
    }
  return null;
}

const shownOf = (row: Row) => JSON.stringify(row).slice(0, 400);
