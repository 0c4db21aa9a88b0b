declare const reach: unique symbol;
declare const confirmed: unique symbol;

/**
 * The units that limit what a query returns or changes, as a parameter of the query. The type is opaque: only
 * `EffectivePermissions`, `restrictReach` and `unrestricted` create one, so that a query cannot run without a
 * reach. At run time it is a list of ids, or null for no restriction, so read it with the functions of this file
 * and not with `??`.
 */
export interface ReachUnits {
  readonly [reach]: true;
}

/**
 * The units in which one permission is held, or the whole organization. Rows of units are in reach by their id.
 * Records of people are in reach by the units to which the person is linked. The generated types of queries require
 * `Reach["units"]`.
 */
export interface Reach {
  readonly units: ReachUnits;
}

/** A reach that the database confirmed under the organization's lock. Checks of writes require it. */
export interface ConfirmedReach extends Reach {
  readonly [confirmed]: true;
}

/** Converts units to a reach. Only for code that computes the units from effective permissions. */
export const asReachUnits = (units: string[] | null): ReachUnits => units as unknown as ReachUnits;

/** Returns the ids of the units, or null if there is no restriction. */
export const unitIdsOf = (units: ReachUnits): string[] | null => units as unknown as string[] | null;

export const isUnrestricted = (units: ReachUnits): boolean => unitIdsOf(units) === null;

/** An empty list of units, which matches no row. */
export const NO_UNITS = asReachUnits([]);

/**
 * Creates a reach without restriction, for queries that are limited in another way.
 * @param reason why every unit may be read or changed, as a string literal
 * @example members.listAssignments.run({ memberships, units: unrestricted("the member is removed as a whole") },
 * db)
 */
export function unrestricted<const Reason extends string>(
  _reason: string extends Reason ? never : Reason,
): ReachUnits {
  return asReachUnits(null);
}

/** Returns those of the given units that are in reach. The result never extends the reach. */
export function restrictReach(units: ReachUnits, unitIds: string[]): ReachUnits {
  const covered = unitIdsOf(units);
  if (covered === null) return asReachUnits(unitIds);
  const inReach = new Set(covered);
  return asReachUnits(unitIds.filter((id) => inReach.has(id)));
}

/** Whether all units (null: the whole organization) are in the reach of a write. */
export function areWithin({ units }: ConfirmedReach, unitIds: (string | null)[]): boolean {
  const covered = unitIdsOf(units);
  if (covered === null) return true;
  const inReach = new Set(covered);
  return unitIds.every((id) => id !== null && inReach.has(id));
}

/** Whether a unit (null: the whole organization) is in the reach of a write. */
export const isWithin = (reach: ConfirmedReach, unitId: string | null): boolean => areWithin(reach, [unitId]);
