import * as queries from "#sql/units";
import { type Reach, type ReachUnits, restrictReach } from "../../core/access/reach.ts";
import { unitsBelow } from "../../core/access/units-below.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";

/**
 * Returns the units to which a list is restricted, by the caller's reach and a filter by units.
 * - With `requested`: these units and their sub-units that are in the reach and belong to `organizations` (null: to
 *   any organization).
 * - Without `requested`: the whole reach.
 * The result never extends the reach (rules 3.6).
 */
export async function filteredUnits(
  organizations: string[] | null,
  { units }: Reach,
  requested: string[] | null,
  db: Queryable,
): Promise<ReachUnits> {
  if (requested === null) return units;
  const covered = await queries.listFilteredUnits.run({ organizations, roots: requested }, db);
  return restrictReach(
    units,
    covered.map(({ id }) => id),
  );
}

/**
 * Like `filteredUnits`, for one record. `candidates` are the units to which the record's person is linked. Returns
 * those that are requested or below a requested unit, and within the caller's reach.
 */
export async function filteredAmong(
  { units }: Reach,
  requested: string[] | null,
  candidates: () => Promise<string[]>,
  db: Queryable,
): Promise<ReachUnits> {
  if (requested === null) return units;
  return restrictReach(units, await unitsBelow(await candidates(), requested, db));
}
