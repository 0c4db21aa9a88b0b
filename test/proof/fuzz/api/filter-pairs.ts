import { isFilter } from "./filters.ts";
import type { Fixture } from "./fixture.ts";
import { type Filter, matchesFilters, readAll, withoutFilterHeaders } from "./lists.ts";
import { byId, resolved, type Schema } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { idOf, pageOf, type Row } from "./pages.ts";
import type { RequestPlan } from "./requests.ts";
import type { ApiResponse, BuiltRequest } from "./send.ts";

/*
 * Requests a list with each pair of its filters. Every row must match both filters and be in the list without
 * filters. The values match most rows; ids are those of the caller's organization and of another one.
 */

/** The share of lists that are checked: one in this number, because a check sends up to 50 requests. */
const ONE_IN = 4;
/** The number of ids in one filter. It is enough for all ids of a fixture. */
const MAX_IDS = 20;
/** A letter that occurs in every searched text. */
const COMMON_LETTER = "o";

function valuesOf(name: string, schema: Schema, { organizations: { own, other } }: Fixture): string[] {
  const ids = (kind: string) =>
    [...(own.ids[kind] ?? []), ...(other.ids[kind] ?? []).slice(0, 2)].slice(0, MAX_IDS);
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
      return [COMMON_LETTER];
    case "from":
      return ["2020-01-01"];
    case "to":
      return ["2099-12-31"];
    default:
      return type === "array" ? choices : choices.length > 0 ? choices.slice(0, 1) : ["false"];
  }
}

/**
 * Checks all pairs of filters of a list. A pair with a problem is requested twice, because events of sign-ins are written after
 * their response.
 */
export async function checkFilterPairs(
  plan: RequestPlan,
  request: BuiltRequest,
  response: ApiResponse,
  fixture: Fixture,
  url: string,
): Promise<Finding | null> {
  const { method, parameters = [] } = byId.get(plan.operation) ?? {};
  if (method !== "GET" || plan.sampleKey % ONE_IN !== 0 || pageOf(response) === null) return null;
  const filters = parameters
    .filter((parameter) => parameter.in === "query" && isFilter(parameter.name))
    .map(({ name, schema }): Filter => [name, valuesOf(name, schema, fixture)]);
  if (filters.length < 2) return null;
  const { headers } = withoutFilterHeaders(request);
  const listRequest: BuiltRequest = { ...request, init: { ...request.init, headers } };
  const readWith = (applied: Filter[]) => {
    const query = applied.flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
    return readAll(url, listRequest, new URLSearchParams(query));
  };
  const problemOf = async (pair: Filter[], unfilteredIds: Set<string>): Promise<string | null> => {
    const list = await readWith(pair);
    if (list === null) return null;
    const unexpected = list.rows.find((row) => !matchesFilters(row, pair) || !unfilteredIds.has(idOf(row)));
    if (unexpected !== undefined)
      return `shows ${textOf(unexpected)}, which the list without filters lacks or a filter excludes`;
    return list.rows.length === list.total
      ? null
      : `has ${list.rows.length} rows on all pages and a total of ${list.total}`;
  };
  const readUnfilteredIds = async () => {
    const list = await readWith([]);
    return list && new Set(list.rows.map(idOf));
  };
  const unfilteredIds = await readUnfilteredIds();
  if (unfilteredIds === null) return null;
  for (const [index, one] of filters.entries())
    for (const other of filters.slice(index + 1)) {
      const pair = [one, other];
      if ((await problemOf(pair, unfilteredIds)) === null) continue;
      const problem = await problemOf(pair, (await readUnfilteredIds()) ?? unfilteredIds);
      if (problem !== null)
        return {
          kind: "list",
          what: `${request.line}\n    with ${one[0]}=${one[1]} and ${other[0]}=${other[1]} ${problem}`,
        };
    }
  return null;
}

const textOf = (row: Row) => JSON.stringify(row).slice(0, 400);
