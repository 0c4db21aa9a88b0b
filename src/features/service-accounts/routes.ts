import { z } from "zod";
import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  Router,
  route,
  unitForbidden,
} from "#kit";
import { listRoleOptions, listUnitOptions } from "../members/options.ts";
import { RoleOption, UnitOption } from "../members/schemas.ts";
import { createServiceAccount, deleteServiceAccount, updateServiceAccount } from "./accounts.ts";
import { changeServiceAccountRoles } from "./change-roles.ts";
import { getOwnServiceAccount, getServiceAccount, listServiceAccounts } from "./read.ts";
import {
  CreateServiceAccountBody,
  OwnServiceAccount,
  ServiceAccount,
  ServiceAccountPage,
  ServiceAccountPath,
  ServiceAccountQuery,
  ServiceAccountRolesBody,
  UpdateServiceAccountBody,
} from "./schemas.ts";

const IN_REACH =
  "If the caller holds the permission only in units, a service account is in reach only if all its roles are in these units and their sub-units.";
const ID = "0190c7a0-0000-7000-8000-000000000001";
const GIVING = ["ServiceAccounts.Create", "ServiceAccounts.UpdateRoles"] as const;

const listServiceAccountsRoute = route({
  operationId: "listServiceAccounts",
  method: "get",
  path: "/api/service-accounts",
  summary: "List service accounts",
  description: `${IN_REACH} \`search\` matches names.`,
  access: { permission: "ServiceAccounts.Read" },
  apps: false,
  request: { query: ServiceAccountQuery },
  responses: { 200: json(ServiceAccountPage, "A page of service accounts") },
});

const getOwnServiceAccountRoute = route({
  operationId: "getOwnServiceAccount",
  method: "get",
  path: "/api/service-accounts/self",
  summary: "Read the service account of the API key",
  description: "Returns the permissions of the key in the form that they have in an access token.",
  access: "api-key",
  responses: { 200: json(OwnServiceAccount, "The service account, the key and its permissions") },
});

const listServiceAccountRoleOptionsRoute = route({
  operationId: "listServiceAccountRoleOptions",
  method: "get",
  path: "/api/service-accounts/role-options",
  summary: "List the roles that you may assign to service accounts",
  access: { permission: "ServiceAccounts.Read" },
  apps: false,
  responses: {
    200: json(z.array(RoleOption), "Roles that the caller may assign, organization-wide or in some unit"),
  },
  reads: "list",
});

const listServiceAccountUnitOptionsRoute = route({
  operationId: "listServiceAccountUnitOptions",
  method: "get",
  path: "/api/service-accounts/unit-options",
  summary: "List the units in which you may assign a role to service accounts",
  access: { permission: "ServiceAccounts.Read" },
  apps: false,
  responses: {
    200: json(
      z.array(UnitOption),
      "Units in which the caller may assign some role; depth-first, each with its depth in the whole tree",
    ),
  },
  reads: "list",
});

const getServiceAccountRoute = route({
  operationId: "getServiceAccount",
  method: "get",
  path: "/api/service-accounts/{id}",
  summary: "Read a service account",
  description: IN_REACH,
  access: { permission: "ServiceAccounts.Read" },
  apps: false,
  request: { params: ServiceAccountPath },
  responses: { 200: json(ServiceAccount, "The service account") },
});

const createServiceAccountRoute = route({
  operationId: "createServiceAccount",
  method: "post",
  path: "/api/service-accounts",
  summary: "Create a service account",
  description:
    "A service account is the identity of a machine. It signs in by API keys, which are created separately. The caller must hold all permissions of the assigned roles. An organization has at most 1,000 service accounts.",
  access: { permission: "ServiceAccounts.Create" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  request: {
    body: jsonBody(CreateServiceAccountBody, {
      name: "Deploy bot",
      assignments: [{ roleId: ID, unitId: null }],
    }),
  },
  responses: { 201: json(ServiceAccount, "The service account was created") },
  idempotent: true,
  errors: [organizationIsSuspended, unitForbidden, permissionNotHeld, conflict, planLimitReached],
});

const updateServiceAccountRoute = route({
  operationId: "updateServiceAccount",
  method: "patch",
  path: "/api/service-accounts/{id}",
  summary: "Rename, enable or disable a service account",
  description: `Keys of a disabled service account return 401. To enable a service account, the caller must hold all of its permissions. ${IN_REACH}`,
  access: { permission: "ServiceAccounts.Update" },
  reauthentication: { classes: ["authority"], ifBodyHas: { field: "enabled", value: true } },
  apiKeys: false,
  request: { params: ServiceAccountPath, body: jsonBody(UpdateServiceAccountBody, { enabled: false }) },
  responses: { 200: json(ServiceAccount, "The changed service account") },
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const changeServiceAccountRolesRoute = route({
  operationId: "changeServiceAccountRoles",
  method: "patch",
  path: "/api/service-accounts/{id}/roles",
  summary: "Replace a service account's roles",
  description: `The caller must hold all permissions of the added and removed roles. ${IN_REACH}`,
  access: { permission: "ServiceAccounts.UpdateRoles" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  request: {
    params: ServiceAccountPath,
    body: jsonBody(ServiceAccountRolesBody, { assignments: [{ roleId: ID, unitId: null }] }),
  },
  responses: { 200: json(ServiceAccount, "The changed service account") },
  errors: [organizationIsSuspended, unitForbidden, permissionNotHeld],
});

const deleteServiceAccountRoute = route({
  operationId: "deleteServiceAccount",
  method: "delete",
  path: "/api/service-accounts/{id}",
  summary: "Delete a service account",
  description: `Revokes the keys and pending invitations of the service account. The caller must hold all of its permissions. ${IN_REACH}`,
  access: { permission: "ServiceAccounts.Delete" },
  reauthentication: { classes: ["authority"] },
  apiKeys: false,
  request: { params: ServiceAccountPath },
  responses: { 204: empty("The service account was deleted") },
  errors: [permissionNotHeld],
});

/** Fixed paths such as `self` come before `{id}`, because the first matching route wins. */
export const serviceAccountRoutes = new Router("service-accounts")
  .openapi(listServiceAccountsRoute, async (c) =>
    c.json(await listServiceAccounts(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(getOwnServiceAccountRoute, async (c) => c.json(await getOwnServiceAccount(c.var.call), 200))
  .openapi(listServiceAccountRoleOptionsRoute, async (c) =>
    c.json(await listRoleOptions(c.var.call, [...GIVING]), 200),
  )
  .openapi(listServiceAccountUnitOptionsRoute, async (c) =>
    c.json(await listUnitOptions(c.var.call, [...GIVING]), 200),
  )
  .openapi(getServiceAccountRoute, async (c) =>
    c.json(await getServiceAccount(c.var.call, c.req.valid("param").id), 200),
  )
  .openapi(createServiceAccountRoute, (c) =>
    idempotent(c, 201, (tx) => createServiceAccount(tx, c.req.valid("json"))),
  )
  .openapi(updateServiceAccountRoute, async (c) =>
    c.json(await updateServiceAccount(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(changeServiceAccountRolesRoute, async (c) =>
    c.json(await changeServiceAccountRoles(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteServiceAccountRoute, (c) =>
    noContent(c, deleteServiceAccount(c.var.call, c.req.valid("param").id)),
  );
