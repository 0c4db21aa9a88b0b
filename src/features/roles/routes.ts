import { z } from "zod";
import {
  conflict,
  empty,
  forbidden,
  idempotent,
  json,
  jsonBody,
  noContent,
  organizationIsSuspended,
  permissionNotHeld,
  Router,
  route,
} from "#kit";
import { roleInUse } from "./errors.ts";
import { listPermissions, listRoles } from "./read.ts";
import {
  CreateRoleBody,
  PermissionItem,
  Role,
  RolePage,
  RolePath,
  RoleQuery,
  UpdateRoleBody,
} from "./schemas.ts";
import { createRole, deleteRole, updateRole } from "./write.ts";

const HELD = "The caller must hold all permissions of the role for the whole organization.";

const listPermissionsRoute = route({
  operationId: "listPermissions",
  method: "get",
  path: "/api/permissions",
  summary: "List all permissions",
  access: "signed-in",
  apps: true,
  worksConfined: true,
  productKey: true,
  apiKeys: true,
  responses: { 200: json(z.array(PermissionItem), "All permissions") },
});

const listRolesRoute = route({
  operationId: "listRoles",
  method: "get",
  path: "/api/roles",
  summary: "List roles",
  description: "Lists the built-in roles and those of the organization, all on one page.",
  access: { permission: "Roles.Read" },
  productKey: true,
  request: { query: RoleQuery },
  responses: { 200: json(RolePage, "The roles") },
});

const createRoleRoute = route({
  operationId: "createRole",
  method: "post",
  path: "/api/roles",
  summary: "Create a role",
  description: `${HELD} Names are unique ignoring case; those of built-in roles are reserved. An organization has at most 1,000 roles of its own.`,
  access: { permission: "Roles.Create" },
  reauthentication: { classes: ["authority"] },
  request: {
    body: jsonBody(CreateRoleBody, {
      name: "Recruiter",
      description: "Brings people in",
      permissions: ["Invitations.Create", "Members.Read"],
    }),
  },
  responses: { 201: json(Role, "The role was created") },
  idempotent: true,
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const updateRoleRoute = route({
  operationId: "updateRole",
  method: "patch",
  path: "/api/roles/{id}",
  summary: "Change a role",
  description: `${HELD} This applies to the permissions before and after the change. Built-in roles cannot be changed.`,
  access: { permission: "Roles.Update" },
  reauthentication: { classes: ["authority"] },
  request: {
    params: RolePath,
    body: jsonBody(UpdateRoleBody, {
      permissions: ["Invitations.Create", "Invitations.Read", "Members.Read"],
    }),
  },
  responses: { 200: json(Role, "The changed role") },
  errors: [organizationIsSuspended, forbidden, permissionNotHeld, conflict],
});

const deleteRoleRoute = route({
  operationId: "deleteRole",
  method: "delete",
  path: "/api/roles/{id}",
  summary: "Delete an unused role",
  description: HELD,
  access: { permission: "Roles.Delete" },
  reauthentication: { classes: ["authority"] },
  request: { params: RolePath },
  responses: { 204: empty("The role was deleted") },
  errors: [organizationIsSuspended, forbidden, permissionNotHeld, roleInUse],
});

export const roleRoutes = new Router("roles")
  .openapi(listPermissionsRoute, async (c) => c.json(listPermissions(), 200))
  .openapi(listRolesRoute, async (c) => c.json(await listRoles(c.var.call, c.req.valid("query")), 200))
  .openapi(createRoleRoute, (c) => idempotent(c, 201, (tx) => createRole(tx, c.req.valid("json"))))
  .openapi(updateRoleRoute, async (c) =>
    c.json(await updateRole(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteRoleRoute, (c) => noContent(c, deleteRole(c.var.call, c.req.valid("param").id)));
