import { z } from "zod";
import { permissions } from "../../core/access/catalog.ts";
import { endpoint, reply } from "../../core/api/endpoint.ts";
import {
  conflict,
  forbidden,
  organizationIsSuspended,
  permissionNotHeld,
  roleInUse,
} from "../../platform/errors.ts";
import { listRoles } from "./read.ts";
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

const HELD =
  "The caller must hold every permission of the role, before and after, for the whole organization.";

export const roleEndpoints = [
  endpoint(
    {
      operationId: "listPermissions",
      method: "get",
      path: "/api/permissions",
      tag: "roles",
      summary: "List every permission",
      access: "signed-in",
      answers: { 200: { description: "The catalog", schema: z.array(PermissionItem) } },
    },
    async () => reply(200, permissions),
  ),

  endpoint(
    {
      operationId: "listRoles",
      method: "get",
      path: "/api/roles",
      tag: "roles",
      summary: "List roles",
      description: "The built-in ones and those of the organization, all on one page.",
      access: { permission: "Roles.Read" },
      query: RoleQuery,
      answers: { 200: { description: "The roles", schema: RolePage } },
    },
    async (call, { query }) => reply(200, await listRoles(call, query)),
  ),

  endpoint(
    {
      operationId: "createRole",
      method: "post",
      path: "/api/roles",
      tag: "roles",
      summary: "Create a role",
      description: `${HELD} Names are unique whatever their case, and those of built-in roles are taken. An organization has at most 1,000 of its own.`,
      access: { permission: "Roles.Create" },
      body: CreateRoleBody,
      example: {
        name: "Recruiter",
        description: "Brings people in",
        permissions: ["Invitations.Create", "Members.Read"],
      },
      answers: { 201: { description: "Created", schema: Role } },
      refusals: [organizationIsSuspended, permissionNotHeld, conflict],
    },
    async (call, { body }) => reply(201, await createRole(call, body)),
  ),

  endpoint(
    {
      operationId: "updateRole",
      method: "patch",
      path: "/api/roles/{id}",
      tag: "roles",
      summary: "Change a role",
      description: `${HELD} Built-in roles never change.`,
      access: { permission: "Roles.Update" },
      params: RolePath,
      body: UpdateRoleBody,
      example: { permissions: ["Invitations.Create", "Invitations.Read", "Members.Read"] },
      answers: { 200: { description: "As it is now", schema: Role } },
      refusals: [organizationIsSuspended, forbidden, permissionNotHeld, conflict],
    },
    async (call, { params, body }) => reply(200, await updateRole(call, params.id, body)),
  ),

  endpoint(
    {
      operationId: "deleteRole",
      method: "delete",
      path: "/api/roles/{id}",
      tag: "roles",
      summary: "Delete a role that nobody has",
      description: HELD,
      access: { permission: "Roles.Delete" },
      params: RolePath,
      answers: { 204: { description: "Deleted" } },
      refusals: [organizationIsSuspended, forbidden, permissionNotHeld, roleInUse],
    },
    async (call, { params }) => {
      await deleteRole(call, params.id);
      return reply(204);
    },
  ),
];
