/* Permissions, and the units in which the caller holds them. */

export { inCatalogOrder, MEMBER, ORG_ADMIN, type Permission, permissions } from "../core/access/catalog.ts";
export type { ConfirmedPermissions, EffectivePermissions } from "../core/access/effective-permissions.ts";
export { type Filters, filteredUnits, reach, reachAmong } from "../core/access/filter.ts";
export { findUnits } from "../core/access/find-units.ts";
export {
  areWithin,
  asReachUnits,
  type ConfirmedReach,
  isUnrestricted,
  isWithin,
  NO_UNITS,
  type Reach,
  type ReachUnits,
  unitIdsOf,
  unrestricted,
} from "../core/access/reach.ts";
