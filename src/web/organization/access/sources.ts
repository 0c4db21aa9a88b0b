import type { PermissionName, Schemas } from "../../../client/index.ts";
import { pathTo, type UnitLike } from "../shared/units.ts";

export type Source = Schemas["Assignment"];

export type Grants = {
  readonly assignments: readonly Source[];
  readonly roles: readonly Schemas["Role"][];
  readonly permissions: readonly Schemas["Permission"][];
};

/** Whether a permission has an effect only in a role that is assigned for the whole organization, not in a unit. */
export const isOrganizationScoped = (
  { permissions }: Pick<Grants, "permissions">,
  permission: PermissionName,
) => permissions.find(({ name }) => name === permission)?.scope === "organization";

/** Returns the assignments that grant a permission in any unit or organization-wide. */
export function sourcesOf(grants: Grants, permission: PermissionName): Source[] {
  const onlyWhole = isOrganizationScoped(grants, permission);
  return grants.assignments.filter(({ role, unit }) => {
    const includes = grants.roles.find(({ id }) => id === role.id)?.permissions.includes(permission);
    return includes && (unit === null || !onlyWhole);
  });
}

/**
 * Returns the assignments that apply to a unit: assigned in it, in a unit above it, or organization-wide. Null
 * stands for the whole organization.
 */
export function sourcesForUnit(
  sources: readonly Source[],
  units: ReadonlyMap<string, UnitLike>,
  unitId: string | null,
): Source[] {
  const line = new Set(unitId === null ? [] : pathTo(units, unitId).map(({ id }) => id));
  return sources.filter(({ unit }) => unit === null || line.has(unit.id));
}
