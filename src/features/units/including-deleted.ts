import {
  asReachUnits,
  type EffectivePermissions,
  type Permission,
  type Queryable,
  type ReachUnits,
  unrestricted,
} from "#kit";
import * as queries from "#sql/units";

/**
 * Returns the units in which a permission is held, and all units that are or ever were below them. The audit log
 * needs them for older events. @throws forbidden if the permission is held nowhere
 */
export async function reachIncludingDeleted(
  permissions: EffectivePermissions,
  permission: Permission,
  db: Queryable,
): Promise<ReachUnits> {
  const roots = permissions.roots(permission);
  if (roots === null) return unrestricted("the permission is held in the whole organization");
  const units = await queries.listUnitsIncludingDeleted.run({ roots }, db);
  return asReachUnits(units.map(({ unitId }) => unitId));
}
