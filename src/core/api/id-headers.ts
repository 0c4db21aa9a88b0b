import { validationFailed } from "../../platform/errors.ts";
import type { Filters } from "../access/filter.ts";
import type { RouteDefinition } from "./route.ts";

const MAX_IDS = 50;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Returns the ids in a header of comma-separated UUIDs, at most 50 (rules 3.7, 3.10).
 * @throws validationFailed naming the header
 */
export function idList(header: string, value: string): string[] {
  const ids = value
    .split(",")
    .map((id) => id.trim())
    .filter(Boolean);
  const problem = ids.length > MAX_IDS ? "must contain no more than 50 elements" : "must be a UUID";
  if (ids.length > MAX_IDS || !ids.every((id) => UUID.test(id))) {
    throw validationFailed([{ path: header, message: `${header} ${problem}` }]);
  }
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** Returns the ids in a filter header that was validated before; null if it is absent. */
export function idsOfHeader(headers: Headers, name: string): string[] | null {
  const ids = idList(name, headers.get(name) ?? "");
  return ids.length === 0 ? null : ids;
}

const NO_FILTERS: Filters = { units: null, members: null };

/** Returns the filters of a request that the route declares; they were validated before. */
export const filtersOf = (
  headers: Headers,
  { filterHeaders }: Pick<RouteDefinition, "filterHeaders">,
): Filters =>
  filterHeaders === undefined
    ? NO_FILTERS
    : {
        units: filterHeaders.unit === undefined ? null : idsOfHeader(headers, "X-Filter-Unit"),
        members: filterHeaders.member === undefined ? null : idsOfHeader(headers, "X-Filter-Member"),
      };
