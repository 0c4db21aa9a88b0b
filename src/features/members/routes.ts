import { z } from "zod";
import { endpoint, reply } from "../../core/api/endpoint.ts";
import {
  conflict,
  forbidden,
  lastAdmin,
  organizationIsSuspended,
  permissionNotHeld,
  unitForbidden,
} from "../../platform/errors.ts";
import { changeMemberRoles } from "./change-roles.ts";
import { changeMemberUnits } from "./change-units.ts";
import { leaveOrganization, removeMember } from "./leave.ts";
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
  "Held in a unit, it reaches the members linked to it or a sub-unit, and shows what they have there.";
const ID = "0190c7a0-0000-7000-8000-000000000001";

export const memberEndpoints = [
  endpoint(
    {
      operationId: "listMembers",
      method: "get",
      path: "/api/members",
      tag: "members",
      summary: "List the members in reach",
      description: `${IN_REACH} \`search\` looks at email and names.`,
      access: { permission: "Members.Read" },
      query: MemberQuery,
      answers: { 200: { description: "A page of members", schema: MemberPage } },
    },
    async (call, { query }) => reply(200, await listMembers(call, query)),
  ),

  endpoint(
    {
      operationId: "listRoleOptions",
      method: "get",
      path: "/api/members/role-options",
      tag: "members",
      summary: "List the roles that one may give",
      access: { permission: "Members.Read" },
      reads: "list",
      answers: {
        200: {
          description: "Roles that the caller may give somewhere, by invitation or to a member",
          schema: z.array(RoleOption),
        },
      },
    },
    async (call) => reply(200, await listRoleOptions(call)),
  ),

  endpoint(
    {
      operationId: "listUnitOptions",
      method: "get",
      path: "/api/members/unit-options",
      tag: "members",
      summary: "List the units that a role may be given in",
      access: { permission: "Members.Read" },
      reads: "list",
      answers: {
        200: {
          description:
            "Units where the caller may give some role, by invitation or to a member; depth-first, each with its depth in the whole tree",
          schema: z.array(UnitOption),
        },
      },
    },
    async (call) => reply(200, await listUnitOptions(call)),
  ),

  endpoint(
    {
      operationId: "getMember",
      method: "get",
      path: "/api/members/{userId}",
      tag: "members",
      summary: "Read a member",
      description: IN_REACH,
      access: { permission: "Members.Read" },
      params: MemberPath,
      answers: { 200: { description: "The member", schema: Member } },
    },
    async (call, { params }) => reply(200, await getMember(call, params.userId)),
  ),

  endpoint(
    {
      operationId: "changeMemberRoles",
      method: "patch",
      path: "/api/members/{userId}/roles",
      tag: "members",
      summary: "Replace a member's roles",
      description:
        "All of them; by whoever holds the permission in a unit, those in its subtree. What is added or removed must be held by the caller. A role in a unit links the member to the unit, and dropping it keeps the link. Nobody links a member to where they hold more over them than now. At least one role must remain.",
      access: { permission: "Members.UpdateRoles" },
      params: MemberPath,
      body: MemberRolesBody,
      example: { assignments: [{ roleId: ID, unitId: null }] },
      answers: { 200: { description: "As the member is now", schema: Member } },
      refusals: [organizationIsSuspended, unitForbidden, permissionNotHeld, conflict, lastAdmin],
    },
    async (call, { params, body }) => reply(200, await changeMemberRoles(call, params.userId, body)),
  ),

  endpoint(
    {
      operationId: "changeMemberUnits",
      method: "patch",
      path: "/api/members/{userId}/units",
      tag: "members",
      summary: "Replace a member's units",
      description:
        "All of them; by whoever holds the permission in a unit, those in its subtree. A unit stays as long as a role is given in it. Nobody links a member to where they hold more over them than now.",
      access: { permission: "Members.UpdateUnits" },
      params: MemberPath,
      body: MemberUnitsBody,
      example: { unitIds: [ID] },
      answers: { 200: { description: "As the member is now", schema: Member } },
      refusals: [organizationIsSuspended, unitForbidden, permissionNotHeld, conflict],
    },
    async (call, { params, body }) => reply(200, await changeMemberUnits(call, params.userId, body)),
  ),

  endpoint(
    {
      operationId: "removeMember",
      method: "delete",
      path: "/api/members/{userId}",
      tag: "members",
      summary: "Remove a member",
      description:
        "Ends their sessions in the organization. Whoever holds the permission in a unit removes only those who are nowhere outside it. The caller must hold all that the member holds.",
      access: { permission: "Members.Delete" },
      params: MemberPath,
      answers: { 204: { description: "Removed" } },
      refusals: [organizationIsSuspended, permissionNotHeld, conflict, lastAdmin],
    },
    async (call, { params }) => {
      await removeMember(call, params.userId);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "leaveOrganization",
      method: "post",
      path: "/api/organization/leave",
      tag: "members",
      summary: "Leave the active organization",
      description:
        "The session goes on in another organization of the caller, or in none, at its next refresh.",
      access: "member",
      refusesPlatformAdmins: forbidden,
      answers: { 204: { description: "Left" } },
      refusals: [organizationIsSuspended, lastAdmin, forbidden],
    },
    async (call) => {
      await leaveOrganization(call);
      return reply(204);
    },
  ),
];
