import type { z } from "zod";
import { filteredUnits, type OrganizationCall, type Permission, unrestricted } from "#kit";
import { permissionNames } from "#kit/inside";
import { listAssignableRoles } from "../roles/read.ts";
import { listUnits } from "../units/read.ts";
import type { RoleOption, UnitOption } from "./schemas.ts";

/** The permissions that allow assigning roles to a member or by invitation; one of them is enough. */
const TO_MEMBERS: Permission[] = ["Members.UpdateRoles", "Invitations.Create"];

/**
 * Returns the roles that the caller may assign in at least one place.
 * @param giving the permissions that allow assigning roles; one of them is enough
 */
export async function listRoleOptions(
  call: OrganizationCall,
  giving = TO_MEMBERS,
): Promise<z.output<typeof RoleOption>[]> {
  const { all, options } = await listGivable(call, giving);
  const givable = new Set(options.flatMap(({ roles }) => roles));
  return all
    .filter((role) => givable.has(role))
    .map(({ id, name, description, organizationId }) => ({
      id,
      name,
      description,
      builtIn: organizationId === null,
    }));
}

/** Returns the units in which the caller may assign at least one role, each unit followed by its sub-units. */
export async function listUnitOptions(
  call: OrganizationCall,
  giving = TO_MEMBERS,
): Promise<z.output<typeof UnitOption>[]> {
  const { lists } = call.db;
  const { options } = await listGivable(call, giving);
  const open = options.flatMap(({ roles, places }) => (roles.length > 0 ? places : []));
  // A permission held in a unit also holds in its sub-units, so these need no check.
  const organizationWide = unrestricted("limited to the units in which the caller may assign a role");
  const requested = open.includes(null) ? null : (open as string[]);
  const units = await filteredUnits([call.organizationId], { units: organizationWide }, requested, lists);
  const shown = await listUnits(lists, call, { units });
  return shown.map(({ id, name, parentId, depth }) => ({ id, name, parentId, depth }));
}

/**
 * Returns the roles of the organization, each with the units in which the caller may assign it. Units in which the
 * caller holds the same permissions are checked together: a large tree has many units, but few distinct sets of
 * permissions.
 */
async function listGivable(call: OrganizationCall, giving: Permission[]) {
  const { permissions } = call;
  const all = await listAssignableRoles(call);
  const begins = [null, ...permissions.rootUnits()];
  const holds = await permissions.loadPermissionsAt(begins, call.db);
  const kinds = Map.groupBy(
    begins.filter((place) => giving.some((permission) => holds([permission], place))),
    (place) =>
      permissionNames()
        .filter((name) => holds([name], place))
        .join(),
  );
  const options = [...kinds.values()].map((places) => ({
    places,
    roles: all.filter(({ permissions }) => holds(permissions, places[0] ?? null)),
  }));
  return { all, options };
}
