import { type Check, finding } from "./exchange.ts";
import { FILTERS } from "./filters.ts";
import type { Fixture } from "./fixture.ts";
import { type Filter, matchesFilters, readAll } from "./lists.ts";
import { byId, resolved, type Schema } from "./operations.ts";
import { pageOf } from "./pages.ts";

/** The share of lists that are checked: one in this number, because a check sends up to 50 requests. */
const ONE_IN = 4;
/** The number of ids in one filter. It is enough for all ids of a fixture. */
const MAX_IDS = 20;
/** Values that match most rows, by the names of filters. */
const MOST: Record<string, string[]> = {
  ...{ targetType: ["unit"], action: ["UNIT_CREATED"], from: ["2020-01-01"], to: ["2099-12-31"] },
  // A letter that occurs in every searched text.
  search: ["o"],
};
const KINDS: Record<string, string> = {
  member: "user",
  unit: "unit",
  organization: "organization",
  userId: "user",
};

function valuesOf(name: string, schema: Schema, { organizations: { own, other } }: Fixture): string[] {
  const kind = KINDS[name] ?? "";
  if (kind !== "")
    return [...(own.ids[kind] ?? []), ...(other.ids[kind] ?? []).slice(0, 2)].slice(0, MAX_IDS);
  if (name === "actorId" || name === "targetId") return [name === "actorId" ? own.founder : own.unit];
  if (name === "client") return (own.ids.oauthClient ?? []).slice(0, 1);
  if (name === "grantId") return (own.ids.connectedApp ?? []).slice(0, 1);
  const { type, items = schema } = resolved(schema);
  const choices = (resolved(items).enum ?? []).map(String);
  const few = choices.length > 0 ? choices.slice(0, 1) : ["false"];
  return MOST[name] ?? (type === "array" ? choices : few);
}

/**
 * Requests a list with each pair of its filters, with values that match most rows: every row must match both, and the total
 * must be their number. A pair with a problem is requested twice, because events of sign-ins are written after their response.
 */
export const checkFilterPairs: Check = async (exchange) => {
  const { plan, response, fixture } = exchange;
  const { method, parameters = [] } = byId.get(plan.operation) ?? {};
  if (method !== "GET" || plan.sampleKey % ONE_IN !== 0 || pageOf(response) === null) return null;
  const filters = parameters
    .filter((one) => one.in === "query" && (one.name === "unit" || Object.hasOwn(FILTERS, one.name)))
    .map(({ name, schema }): Filter => [name, valuesOf(name, schema, fixture)]);
  const problemOf = async (pair: Filter[]): Promise<string | null> => {
    const query = pair.flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
    const list = await readAll(exchange, new URLSearchParams(query));
    if (list === null) return null;
    const unexpected = list.rows.find((row) => !matchesFilters(row, pair));
    if (unexpected !== undefined) return `shows ${JSON.stringify(unexpected).slice(0, 400)}`;
    return list.rows.length === list.total
      ? null
      : `has ${list.rows.length} rows, and a total of ${list.total}`;
  };
  for (const [index, one] of filters.entries())
    for (const other of filters.slice(index + 1)) {
      if ((await problemOf([one, other])) === null) continue;
      const problem = await problemOf([one, other]);
      const text = `with ${one[0]}=${one[1]} and ${other[0]}=${other[1]} ${problem}`;
      if (problem !== null) return finding("list", exchange, text);
    }
  return null;
};
