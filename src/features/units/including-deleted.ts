import * as queries from "#sql/units";
import type { Permission } from "../../core/access/catalog.ts";
import type { EffectivePermissions } from "../../core/access/effective-permissions.ts";
import { asReachUnits, type ReachUnits, unrestricted } from "../../core/access/reach.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";

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
