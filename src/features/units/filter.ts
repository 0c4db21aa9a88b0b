import {
  type Filters,
  type Permission,
  type Queryable,
  type Reach,
  type ReachUnits,
  restrictReach,
} from "#kit";
import * as queries from "#sql/units";
import type { TokenPermissions } from "../../core/access/effective-permissions.ts";
import { unitsBelow } from "../../core/access/units-below.ts";

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

type Caller = {
  /** The organizations of the call; null means all of them. */
  readonly organizations: string[] | null;
  readonly permissions: Pick<TokenPermissions, "reach" | "reachAmong">;
};

/**
 * Returns the reach of a permission, restricted by the filter `X-Filter-Unit`.
 * @throws forbidden if the permission is held nowhere
 */
export const filteredReach = async (
  { organizations, permissions }: Caller,
  permission: Permission,
  { units }: Filters,
  db: Queryable,
): Promise<ReachUnits> => filteredUnits(organizations, await permissions.reach(permission, db), units, db);

/**
 * Like `filteredReach`, for one record. Returns those units that are in the reach and, with a filter, requested or
 * below a requested unit.
 * @param listCandidates returns the units to which the record's person is linked
 */
export async function filteredReachAmong(
  { permissions, db }: Caller & { readonly db: Queryable },
  permission: Permission,
  { units: requested }: Filters,
  listCandidates: () => Promise<{ unitId: string }[]>,
): Promise<ReachUnits> {
  const candidates = async () => (await listCandidates()).map(({ unitId }) => unitId);
  const { units } = await permissions.reachAmong(permission, candidates, db);
  if (requested === null) return units;
  return restrictReach(units, await unitsBelow(await candidates(), requested, db));
}
