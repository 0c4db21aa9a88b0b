import {
  conflict,
  empty,
  forbidden,
  idempotent,
  json,
  jsonBody,
  noContent,
  notFound,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  Router,
  route,
  tooManyRequests,
} from "#kit";
import type { RouteDefinition } from "#kit/inside";
import { ssoIsOn } from "../../core/access/sign-on-config.ts";
import { ssoRequired } from "../../core/access/sign-on-errors.ts";
import { alreadyMember } from "../invitations/errors.ts";
import { Member } from "../members/schemas.ts";
import { approve, deny, listRequests } from "./decide.ts";
import { join, listJoinable, withdraw } from "./join.ts";
import {
  ApproveBody,
  JoinableOrganizations,
  JoinOutcome,
  JoinRequestPage,
  JoinRequestPath,
  JoinRequestQuery,
  OrganizationPath,
} from "./schemas.ts";

const REQUESTS = "/api/members/join-requests";
const common = { existsIf: ssoIsOn } satisfies Partial<RouteDefinition>;

const listJoinableRoute = route({
  operationId: "listJoinableOrganizations",
  method: "get",
  path: "/api/auth/joinable-organizations",
  ...common,
  summary: "List the organizations that you may join",
  description:
    "At most 20 active organizations with a verified domain that is exactly that of your verified address, without those that you are a member of. Empty in a confined session.",
  access: "signed-in",
  worksConfined: true,
  responses: { 200: json(JoinableOrganizations, "The organizations, by name") },
});

const joinRoute = route({
  operationId: "joinOrganization",
  method: "post",
  path: "/api/auth/organizations/{id}/join",
  ...common,
  summary: "Join an organization",
  description:
    "A pending invitation to your address is accepted. Otherwise you become a member at once where joining is automatic, a seat is free and you were not removed before; else administrators decide. The session does not switch. Limit: ten a day.",
  access: "signed-in",
  refusesPlatformAdmins: forbidden,
  request: { params: OrganizationPath },
  responses: {
    201: json(JoinOutcome, "You are a member"),
    202: json(JoinOutcome, "Your request waits for a decision"),
  },
  errors: [notFound, ssoRequired, tooManyRequests, alreadyMember, conflict],
});

const withdrawRoute = route({
  operationId: "withdrawJoinRequest",
  method: "delete",
  path: "/api/auth/organizations/{id}/join",
  ...common,
  summary: "Withdraw your request to join an organization",
  access: "signed-in",
  request: { params: OrganizationPath },
  responses: { 204: empty("No request is open") },
});

const listRequestsRoute = route({
  operationId: "listJoinRequests",
  method: "get",
  path: REQUESTS,
  ...common,
  summary: "List the open requests to join the organization",
  access: { permission: "Invitations.Create", organizationWide: true },
  apps: false,
  request: { query: JoinRequestQuery },
  responses: { 200: json(JoinRequestPage, "A page of requests") },
});

const approveRoute = route({
  operationId: "approveJoinRequest",
  method: "post",
  path: `${REQUESTS}/{id}/approve`,
  ...common,
  summary: "Approve a request to join",
  access: { permission: "Invitations.Create", organizationWide: true },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  request: { params: JoinRequestPath, body: jsonBody(ApproveBody, {}) },
  responses: { 200: json(Member, "The new member") },
  idempotent: true,
  errors: [organizationIsSuspended, permissionNotHeld, planLimitReached, notFound, alreadyMember],
});

const denyRoute = route({
  operationId: "denyJoinRequest",
  method: "post",
  path: `${REQUESTS}/{id}/deny`,
  ...common,
  summary: "Deny a request to join",
  description: "The person is not told, and may ask again after 90 days.",
  access: { permission: "Invitations.Create", organizationWide: true },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  request: { params: JoinRequestPath },
  responses: { 204: empty("The request was denied") },
  idempotent: true,
  errors: [organizationIsSuspended, notFound],
});

export const joiningRoutes = new Router("joining")
  .openapi(listJoinableRoute, async (c) => c.json(await listJoinable(c.var.call), 200))
  .openapi(joinRoute, async (c) => {
    const status = await join(c.var.call, c.req.valid("param").id);
    return status === "member" ? c.json({ status }, 201) : c.json({ status }, 202);
  })
  .openapi(withdrawRoute, (c) => noContent(c, withdraw(c.var.call, c.req.valid("param").id)))
  .openapi(listRequestsRoute, async (c) => c.json(await listRequests(c.var.call, c.req.valid("query")), 200))
  .openapi(approveRoute, (c) =>
    idempotent(c, 200, (tx) => approve(tx, c.req.valid("param").id, c.req.valid("json"))),
  )
  .openapi(denyRoute, (c) => idempotent(c, 204, (tx) => deny(tx, c.req.valid("param").id)));
