import type { z } from "zod";
import { MEMBER, type OrganizationCall, permissions, type Queryable, unpagedList } from "#kit";
import { isKnownPermission, textOfProduct } from "#kit/inside";
import * as queries from "#sql/roles";
import type { Role, RoleQuery } from "./schemas.ts";

export type StoredRole = Awaited<ReturnType<typeof queries.listRolesByIds.run>>[number];

/** Returns the permissions of all features, with the texts of those that the product declares. */
export const listPermissions = () =>
  permissions().map((permission) => {
    const text = textOfProduct("permissions", permission.name);
    return { ...permission, product: text !== null, text };
  });

/** Returns the built-in roles and the organization's own roles, all on one page. */
export async function listRoles(
  { db, organizationId }: OrganizationCall,
  { page, order, ...filters }: z.output<typeof RoleQuery>,
) {
  const wanted = { organizationId, ...filters, descending: order === "desc" };
  const rows = await queries.listRoles.run(wanted, db.lists);
  return unpagedList(page, rows.map(presentRole));
}

/** Returns the roles that can be assigned in the organization, sorted by name. */
export const listAssignableRoles = ({ db, organizationId }: OrganizationCall) =>
  queries.listRoles.run({ organizationId, search: null, sort: "name", descending: false }, db.lists);

/** Returns, by id, those of the given roles that can be assigned in the organization. */
export async function findAssignableRoles(db: Queryable, organizationId: string, ids: string[]) {
  const found = ids.length === 0 ? [] : await queries.listRolesByIds.run({ organizationId, ids }, db);
  return new Map(found.map((role) => [role.id, role]));
}

export const presentRole = (role: StoredRole): z.output<typeof Role> => ({
  id: role.id,
  name: role.name,
  description: role.description,
  permissions: role.permissions.filter(isKnownPermission),
  builtIn: role.organizationId === null,
  organizationId: role.organizationId,
});

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
