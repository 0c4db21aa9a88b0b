import {
  conflict,
  empty,
  forbidden,
  idempotent,
  noContent,
  organizationIsSuspended,
  permissionNotHeld,
  Router,
  route,
} from "#kit";
import { breakGlassRequired } from "../../core/access/sign-on-errors.ts";
import { lastAdmin } from "../../core/accounts/errors.ts";
import { MemberPath } from "../members/schemas.ts";
import { leaveOrganization, removeMember } from "./leave.ts";

const removeMemberRoute = route({
  operationId: "removeMember",
  method: "delete",
  path: "/api/members/{userId}",
  summary: "Remove a member",
  description:
    "Ends the member's sessions in the organization. If the caller holds the permission only in units, the member's roles and units must all be in these units and their sub-units. The caller must hold all permissions of the member. The only member of an organization whose subscription renews cannot be removed (409 `CONFLICT`).",
  access: { permission: "Members.Delete" },
  reauthentication: { classes: ["authority"] },
  request: { params: MemberPath },
  responses: { 204: empty("The member was removed") },
  errors: [organizationIsSuspended, permissionNotHeld, conflict, lastAdmin, breakGlassRequired],
});

const leaveOrganizationRoute = route({
  operationId: "leaveOrganization",
  method: "post",
  path: "/api/organization/leave",
  summary: "Leave the active organization",
  description:
    "Ends the caller's membership. At the next refresh the session continues in another organization of the caller, or in none. The only member of an organization whose subscription renews cannot leave (409 `CONFLICT`). After the last member, the service accounts and webhook endpoints of the organization are disabled.",
  access: "member",
  apiKeys: false,
  refusesPlatformAdmins: forbidden,
  responses: { 204: empty("The membership ended") },
  idempotent: true,
  errors: [organizationIsSuspended, lastAdmin, conflict, breakGlassRequired, forbidden],
});

export const departureRoutes = new Router("members")
  .openapi(removeMemberRoute, (c) => noContent(c, removeMember(c.var.call, c.req.valid("param").userId)))
  .openapi(leaveOrganizationRoute, (c) => idempotent(c, 204, leaveOrganization));
