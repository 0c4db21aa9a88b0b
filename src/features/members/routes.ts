import { z } from "zod";
import {
  conflict,
  forbidden,
  json,
  jsonBody,
  organizationIsSuspended,
  permissionNotHeld,
  Router,
  route,
  unitForbidden,
} from "#kit";
import { breakGlassRequired } from "../../core/access/sign-on-errors.ts";
import { lastAdmin } from "../../core/accounts/errors.ts";
import { changeMemberRoles } from "./change-roles.ts";
import { changeMemberUnits } from "./change-units.ts";
import { listRoleOptions, listUnitOptions } from "./options.ts";
import { getMember, listMembers } from "./read.ts";
import {
  Member,
  MemberPage,
  MemberPath,
  MemberQuery,
  MemberRolesBody,
  MemberUnitsBody,
  RoleOption,
  UnitOption,
} from "./schemas.ts";

const IN_REACH =
  "If the caller holds the permission in a unit, only members of that unit and its sub-units are returned, with their roles and units there.";
const ID = "0190c7a0-0000-7000-8000-000000000001";

const listMembersRoute = route({
  operationId: "listMembers",
  method: "get",
  path: "/api/members",
  summary: "List members",
  description: `${IN_REACH} \`search\` matches email and names.`,
  access: { permission: "Members.Read" },
  productKey: true,
  request: { query: MemberQuery },
  responses: { 200: json(MemberPage, "A page of members") },
  errors: [forbidden],
});

const listRoleOptionsRoute = route({
  operationId: "listRoleOptions",
  method: "get",
  path: "/api/members/role-options",
  summary: "List the roles that you may assign",
  access: { permission: "Members.Read" },
  responses: {
    200: json(
      z.array(RoleOption),
      "Roles that the caller may assign, organization-wide or in some unit, to a member or by invitation",
    ),
  },
  reads: "list",
});

const listUnitOptionsRoute = route({
  operationId: "listUnitOptions",
  method: "get",
  path: "/api/members/unit-options",
  summary: "List the units in which you may assign a role",
  access: { permission: "Members.Read" },
  responses: {
    200: json(
      z.array(UnitOption),
      "Units in which the caller may assign some role; depth-first, each with its depth in the whole tree",
    ),
  },
  reads: "list",
});

const getMemberRoute = route({
  operationId: "getMember",
  method: "get",
  path: "/api/members/{userId}",
  summary: "Read a member",
  description: IN_REACH,
  access: { permission: "Members.Read" },
  productKey: true,
  request: { params: MemberPath },
  responses: { 200: json(Member, "The member") },
  reads: "list",
});

const changeMemberRolesRoute = route({
  operationId: "changeMemberRoles",
  method: "patch",
  path: "/api/members/{userId}/roles",
  summary: "Replace a member's roles",
  description:
    "Replaces all roles with the source `manual`; roles by groups of the organization's sign-in stay. If the caller holds the permission only in units, replaces the roles in these units and their sub-units. The caller must hold all permissions of the added and removed roles. A role in a unit adds the member to the unit; removing the role keeps the unit membership. A new unit membership must not give the caller, or the service accounts of the same person, a permission over the member that the caller does not have now. At least one role must remain.",
  access: { permission: "Members.UpdateRoles" },
  reauthentication: { classes: ["authority"] },
  request: {
    params: MemberPath,
    body: jsonBody(MemberRolesBody, { assignments: [{ roleId: ID, unitId: null }] }),
  },
  responses: { 200: json(Member, "The changed member") },
  errors: [
    organizationIsSuspended,
    unitForbidden,
    permissionNotHeld,
    conflict,
    lastAdmin,
    breakGlassRequired,
  ],
});

const changeMemberUnitsRoute = route({
  operationId: "changeMemberUnits",
  method: "patch",
  path: "/api/members/{userId}/units",
  summary: "Replace a member's units",
  description:
    "Replaces all units. If the caller holds the permission only in units, replaces these units and their sub-units. A unit in which the member has a role cannot be removed. A new unit membership must not give the caller, or the service accounts of the same person, a permission over the member that the caller does not have now.",
  access: { permission: "Members.UpdateUnits" },
  reauthentication: { classes: ["authority"] },
  request: { params: MemberPath, body: jsonBody(MemberUnitsBody, { unitIds: [ID] }) },
  responses: { 200: json(Member, "The changed member") },
  errors: [organizationIsSuspended, unitForbidden, permissionNotHeld, conflict],
});

export const memberRoutes = new Router("members")
  .openapi(listMembersRoute, async (c) => c.json(await listMembers(c.var.call, c.req.valid("query")), 200))
  .openapi(listRoleOptionsRoute, async (c) => c.json(await listRoleOptions(c.var.call), 200))
  .openapi(listUnitOptionsRoute, async (c) => c.json(await listUnitOptions(c.var.call), 200))
  .openapi(getMemberRoute, async (c) => c.json(await getMember(c.var.call, c.req.valid("param").userId), 200))
  .openapi(changeMemberRolesRoute, async (c) =>
    c.json(await changeMemberRoles(c.var.call, c.req.valid("param").userId, c.req.valid("json")), 200),
  )
  .openapi(changeMemberUnitsRoute, async (c) =>
    c.json(await changeMemberUnits(c.var.call, c.req.valid("param").userId, c.req.valid("json")), 200),
  );
