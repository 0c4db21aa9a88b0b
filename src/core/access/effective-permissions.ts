import * as access from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { inCatalogOrder, isKnownPermission, type Permission } from "./catalog.ts";
import { forbidden } from "./errors.ts";
import { asReachUnits, type ConfirmedReach, type Reach, type ReachUnits } from "./reach.ts";

/** The permissions of a member according to one source: the access token or the database. */
export type Grants = {
  organizationWide: ReadonlySet<string>;
  /**
   * Permissions over root units and all units below them. `units` lists all of these units, or is null if they are
   * not known yet.
   */
  inUnits: { permissions: ReadonlySet<string>; roots: string[]; units: string[] | null }[];
};

/** Whether a set of permissions applies to a unit, or to the whole organization for null. */
export type HoldsAt = (permissions: readonly string[], unitId: string | null) => boolean;

/**
 * A user's permissions in the active organization, and the units in which they are held. Every source must grant a
 * permission. Without sources every permission is granted: those are the permissions of a platform administrator.
 */
export class EffectivePermissions {
  constructor(private readonly sources: Grants[]) {}

  holdsAnywhere(permission: Permission): boolean {
    return this.sources.every(
      ({ organizationWide, inUnits }) =>
        organizationWide.has(permission) || inUnits.some(({ permissions }) => permissions.has(permission)),
    );
  }

  /** Names that are not in the catalog are ignored, because they grant nothing. */
  holdsEverywhere(permissions: readonly string[]): boolean {
    const wanted = inCatalogOrder(permissions);
    return this.sources.every(({ organizationWide }) =>
      wanted.every((permission) => organizationWide.has(permission)),
    );
  }

  /**
   * Returns the units in which a permission was assigned, without the units below them, for queries that include
   * deleted units. Null means the whole organization.
   * @throws forbidden if the permission is held nowhere
   */
  roots(permission: Permission): string[] | null {
    if (!this.holdsAnywhere(permission)) throw forbidden();
    const limits = this.sources.filter(({ organizationWide }) => !organizationWide.has(permission));
    if (limits.length === 0) return null;
    return limits.flatMap(({ inUnits }) =>
      inUnits.flatMap((grant) => (grant.permissions.has(permission) ? grant.roots : [])),
    );
  }

  /**
   * Returns the reach of a permission: the units in which it is held, or the whole organization.
   * @param withDeleted also returns deleted units below them, so that rows that refer to deleted units stay in
   * reach
   * @throws forbidden if the permission is held nowhere
   */
  async reach(permission: Permission, db: Queryable, { withDeleted = false } = {}): Promise<Reach> {
    if (!this.holdsAnywhere(permission)) throw forbidden();
    let units: string[] | null = null;
    for (const { organizationWide, inUnits } of this.sources) {
      if (organizationWide.has(permission)) continue;
      const covered = await coveredUnits(
        inUnits.filter(({ permissions }) => permissions.has(permission)),
        withDeleted,
        db,
      );
      units = units === null ? [...covered] : units.filter((unit) => covered.has(unit));
    }
    return { units: asReachUnits(units) };
  }

  /**
   * Like `reach`, for one record. Returns the units in reach if the token lists all of them. Otherwise checks only
   * `candidates`, the units to which the owner of the record is linked. That query goes upwards from the candidates, so
   * its cost does not depend on the number of units in reach.
   * @throws forbidden if the permission is held nowhere
   */
  async reachAmong(
    permission: Permission,
    candidates: () => Promise<string[]>,
    db: Queryable,
  ): Promise<Reach> {
    if (!this.holdsAnywhere(permission)) throw forbidden();
    const areListed = this.sources.every(
      ({ organizationWide, inUnits }) =>
        organizationWide.has(permission) ||
        inUnits.every(({ permissions, units }) => units !== null || !permissions.has(permission)),
    );
    if (areListed) return this.reach(permission, db);
    return { units: await this.heldAmong(permission, await candidates(), db) };
  }

  /** Returns those of the given units in which a permission is held. Deleted units may be among them. */
  async heldAmong(permission: Permission, unitIds: string[], db: Queryable): Promise<ReachUnits> {
    const holds = await this.loadPermissionsAt(unitIds, db);
    return asReachUnits(unitIds.filter((unit) => holds([permission], unit)));
  }

  /**
   * Loads the permissions that are held in these units (null: in the whole organization). Returns a function that
   * checks permissions against them.
   */
  async loadPermissionsAt(unitIds: (string | null)[], db: Queryable): Promise<HoldsAt> {
    return (await this.loadPermissionsOfAll([], unitIds, db))[0];
  }

  /**
   * Like `loadPermissionsAt`, also for other holders of permissions, with a single query. Returns the function for
   * this holder first, then those for the others in their order.
   */
  async loadPermissionsOfAll(
    others: EffectivePermissions[],
    unitIds: (string | null)[],
    db: Queryable,
  ): Promise<[HoldsAt, ...HoldsAt[]]> {
    const units = [...new Set(unitIds.filter((id) => id !== null))];
    const isLimited = [this, ...others].some(({ sources }) =>
      sources.some(({ inUnits }) => inUnits.length > 0),
    );
    const above = isLimited && units.length > 0 ? await access.listAncestors.run({ unitIds: units }, db) : [];
    const parents = new Map(above.map(({ unitId, parentId }) => [unitId, parentId]));
    return [this.holdsAt(parents), ...others.map((other) => other.holdsAt(parents))];
  }

  private holdsAt(parents: Map<string, string | null>): HoldsAt {
    const helds = this.sources.map((source) => heldBy(source, parents));
    return (permissions, unitId) => {
      const known = permissions.filter(isKnownPermission);
      return helds.every((held) => {
        const there = held(unitId);
        return known.every((permission) => there.has(permission));
      });
    };
  }

  /**
   * Returns the units in which the caller holds permissions that the caller does not hold for the whole
   * organization.
   */
  rootUnits(): string[] {
    return [...new Set(this.sources.flatMap(({ inUnits }) => inUnits.flatMap(({ roots }) => roots)))];
  }
}

/**
 * The permissions at the beginning of a request: those of the access token. If its grants do not fit into the
 * token, those in the database at that moment. They can be outdated, so they authorize only reads, and writes that
 * grant and revoke nothing.
 */
export class TokenPermissions extends EffectivePermissions {
  declare private readonly isToken: true;
}

/**
 * The permissions that the database confirmed under the organization's lock. Only `authorize` creates one. Writes that
 * grant or revoke permissions require them (rules 6.11).
 */
export class ConfirmedPermissions extends EffectivePermissions {
  declare private readonly isConfirmed: true;

  override reach(...options: Parameters<EffectivePermissions["reach"]>): Promise<ConfirmedReach> {
    return super.reach(...options) as Promise<ConfirmedReach>;
  }
}

/** Returns the permissions that a source grants in a unit of the tree. Visits each unit only once. */
function heldBy({ organizationWide, inUnits }: Grants, parents: Map<string, string | null>) {
  const grantsAt = new Map<string, ReadonlySet<string>[]>();
  for (const { roots, permissions } of inUnits)
    for (const root of roots) grantsAt.set(root, [...(grantsAt.get(root) ?? []), permissions]);
  const found = new Map<string, ReadonlySet<string>>();

  return (unitId: string | null): ReadonlySet<string> => {
    const path: string[] = [];
    let top = unitId;
    for (; top !== null && !found.has(top); top = parents.get(top) ?? null) path.push(top);
    let held = found.get(top ?? "") ?? organizationWide;
    for (const unit of path.toReversed()) {
      for (const permissions of grantsAt.get(unit) ?? []) held = held.union(permissions);
      found.set(unit, held);
    }
    return held;
  };
}

async function coveredUnits(
  grants: Grants["inUnits"],
  withDeleted: boolean,
  db: Queryable,
): Promise<Set<string>> {
  const known = grants.flatMap(({ units }) => units ?? []);
  const unknown = grants.flatMap((grant) => (grant.units === null ? grant.roots : []));
  const expanded =
    unknown.length === 0 ? [] : await access.listCoveredUnits.run({ roots: unknown, max: null }, db);
  const roots = grants.flatMap((grant) => grant.roots);
  const deleted = withDeleted ? await access.listDeletedUnits.run({ roots }, db) : [];
  return new Set([...known, ...[...expanded, ...deleted].map(({ unitId }) => unitId)]);
}
