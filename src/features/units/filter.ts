import * as queries from "#sql/units";
import type { Reach } from "../../core/access/authority.ts";
import { unitsBelow } from "../../core/access/units-below.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";

/**
 * Returns the units that a list is filtered by. Null means no restriction. Requested units count only in these
 * organizations (null: in all), with their sub-units, and within the caller's reach. If none are requested, returns
 * the whole reach. The result never extends the reach (rules 3.6).
 */
export async function filteredUnits(
  organizations: string[] | null,
  { units }: Pick<Reach, "units">,
  requested: string[] | null,
  db: Queryable,
): Promise<string[] | null> {
  if (requested === null) return units;
  const covered = await queries.listFilteredUnits.run({ organizations, roots: requested }, db);
  const ids = covered.map(({ id }) => id);
  if (units === null) return ids;
  const inReach = new Set(units);
  return ids.filter((id) => inReach.has(id));
}

/**
 * Like `filteredUnits`, for one record: of `candidates`, the units to which the record's person is linked, returns
 * those that are requested or below a requested one, within the caller's reach.
 */
export async function filteredAmong(
  { units }: Pick<Reach, "units">,
  requested: string[] | null,
  candidates: () => Promise<string[]>,
  db: Queryable,
): Promise<string[] | null> {
  if (requested === null) return units;
  const below = await unitsBelow(await candidates(), requested, db);
  return units === null ? below : below.filter((id) => units.includes(id));
}
