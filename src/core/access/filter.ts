import * as queries from "#sql/access";
import type { Database } from "../../platform/db/connection.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { Permission } from "./catalog.ts";
import type { TokenPermissions } from "./effective-permissions.ts";
import { type Reach, type ReachUnits, restrictReach } from "./reach.ts";
import { unitsBelow } from "./units-below.ts";

/** The values of `X-Filter-Unit` and `X-Filter-Member`; null for a missing header. */
export type Filters = { readonly units: string[] | null; readonly members: string[] | null };

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
  readonly filters: Filters;
};

/**
 * Returns the units in which the caller holds a permission, restricted by the filter `X-Filter-Unit`, for a list.
 * @throws forbidden if the permission is held nowhere
 */
export async function reach(
  { organizations, permissions, filters, db }: Caller & { readonly db: Pick<Database, "lists"> },
  permission: Permission,
): Promise<ReachUnits> {
  const held = await permissions.reach(permission, db.lists);
  return filteredUnits(organizations, held, filters.units, db.lists);
}

/**
 * Like `reach`, for one record: returns those of its units that are in reach.
 * @param listCandidates returns the units to which the owner of the record is linked
 */
export async function reachAmong(
  { permissions, filters, db }: Caller & { readonly db: Queryable },
  permission: Permission,
  listCandidates: () => Promise<{ unitId: string }[]>,
): Promise<ReachUnits> {
  const candidates = async () => (await listCandidates()).map(({ unitId }) => unitId);
  const { units } = await permissions.reachAmong(permission, candidates, db);
  if (filters.units === null) return units;
  return restrictReach(units, await unitsBelow(await candidates(), filters.units, db));
}
