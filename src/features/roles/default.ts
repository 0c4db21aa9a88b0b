import { MEMBER, type Queryable } from "#kit";
import * as queries from "#sql/roles";
import { findAssignableRoles } from "./read.ts";

/** Returns the default role of the organization, or otherwise of the platform, assigned for the whole organization. */
export async function defaultAssignment(db: Queryable, organizationId: string, defaultRoleId: string | null) {
  const roles = await findAssignableRoles(db, organizationId, [defaultRoleId ?? MEMBER.id, MEMBER.id]);
  const { id, name, permissions } = roles.get(defaultRoleId ?? MEMBER.id) ?? MEMBER;
  return [{ roleId: id, roleName: name, permissions, unitId: null, unitName: null }];
}

/** Like `defaultAssignment`, and looks up the default role. */
export async function findDefaultAssignment(db: Queryable, organizationId: string) {
  const [organization] = await queries.findDefaultRole.run({ organizationId }, db);
  return defaultAssignment(db, organizationId, organization?.defaultRoleId ?? null);
}
