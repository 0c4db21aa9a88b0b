import type { Filters } from "../access/filter.ts";
import type { RouteDefinition } from "./route.ts";

const MAX_IDS = 50;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads a header of comma-separated UUIDs, at most 50 (rules 3.7, 3.10), and says what is wrong with it; null if nothing is. */
export function readIds(value: string): { ids: string[]; problem: string | null } {
  const all = value.split(",").map((id) => id.trim().toLowerCase());
  const ids = all.filter((id) => id !== "");
  const isTooLong = ids.length > MAX_IDS && "must contain no more than 50 elements";
  const isMalformed = !ids.every((id) => UUID.test(id)) && "must be a UUID";
  return { ids: [...new Set(ids)], problem: isTooLong || isMalformed || null };
}

/** Returns the ids in a header that was validated before; null if it is absent. */
export function idsOfHeader(headers: Headers, name: string): string[] | null {
  const { ids } = readIds(headers.get(name) ?? "");
  return ids.length === 0 ? null : ids;
}

/** Returns the filters of a request that the route declares; they were validated before. */
export const filtersOf = (
  headers: Headers,
  { filterHeaders: { unit, member } = {} }: Pick<RouteDefinition, "filterHeaders">,
): Filters => ({
  units: unit === undefined ? null : idsOfHeader(headers, "X-Filter-Unit"),
  members: member === undefined ? null : idsOfHeader(headers, "X-Filter-Member"),
});
