import { findUnits, type Queryable, type Violation, validationFailed } from "#kit";
import { allSettledOrThrow } from "#kit/inside";
import { isSameAssignment, type RoleGrant } from "../../core/accounts/memberships.ts";
import { findAssignableRoles } from "../roles/read.ts";

/** A role to assign, with its name, its permissions and the name of its unit. */
export type NamedAssignment = RoleGrant & {
  roleName: string;
  permissions: string[];
  unitName: string | null;
};

/**
 * Looks up the roles and units of the assignments in a request; duplicate assignments count once.
 * @param field the field of the request, for its violations
 * @throws validationFailed for every role or unit that the organization does not have
 */
export async function resolveAssignments(
  db: Queryable,
  organizationId: string,
  grants: RoleGrant[],
  field = "assignments",
): Promise<NamedAssignment[]> {
  const roleIds = grants.map(({ roleId }) => roleId);
  const unitIds = grants.flatMap(({ unitId }) => unitId ?? []);
  const [roles, units] = await allSettledOrThrow(
    findAssignableRoles(db, organizationId, roleIds),
    findUnits(db, organizationId, unitIds),
  );
  const problems: Violation[] = [];
  const missing = (path: string, what: string) =>
    problems.push({ path, message: `${path} must be an existing ${what}` });
  const resolved = grants.flatMap((one, index) => {
    const role = roles.get(one.roleId);
    const unit = one.unitId === null ? null : units.get(one.unitId);
    if (role === undefined) missing(`${field}.${index}.roleId`, "role");
    if (unit === undefined) missing(`${field}.${index}.unitId`, "unit");
    if (role === undefined || unit === undefined) return [];
    return [{ ...one, roleName: role.name, permissions: role.permissions, unitName: unit?.name ?? null }];
  });
  if (problems.length > 0) throw validationFailed(problems);
  return resolved.filter(
    (one, index) => resolved.findIndex((other) => isSameAssignment(one, other)) === index,
  );
}
