import { z } from "zod";
import { endpoint, reply } from "../../core/api/endpoint.ts";
import { idsOfHeader } from "../../core/api/id-headers.ts";
import {
  conflict,
  emailUnavailable,
  forbidden,
  notFound,
  organizationIsSuspended,
  permissionNotHeld,
  slugTaken,
  tooManyRequests,
} from "../../platform/errors.ts";
import { PlanBody } from "../billing/schemas.ts";
import { createOrganization } from "./create-for-owner.ts";
import { foundOneMore } from "./create-own.ts";
import {
  deleteOrganization,
  getPlatformOrganization,
  listOrganizations,
  setOrganizationStatus,
  setPlanOverride,
  updatePlatformOrganization,
} from "./platform.ts";
import { getOrganization, listMyOrganizations } from "./read.ts";
import {
  CreateOrganizationBody,
  FoundBody,
  Organization,
  OrganizationPath,
  OrganizationQuery,
  OwnOrganization,
  PlatformOrganization,
  PlatformOrganizationPage,
  PlatformUpdateBody,
  StatusBody,
  UpdateOrganizationBody,
} from "./schemas.ts";
import { updateOrganization } from "./update.ts";

export const organizationEndpoints = [
  endpoint(
    {
      operationId: "listMyOrganizations",
      method: "get",
      path: "/api/auth/organizations",
      tag: "organizations",
      summary: "List one's own organizations",
      description: "Every organization that one belongs to, by name, suspended ones included.",
      access: "signed-in",
      answers: { 200: { description: "The organizations", schema: z.array(OwnOrganization) } },
    },
    async (call) => reply(200, await listMyOrganizations(call)),
  ),

  endpoint(
    {
      operationId: "foundOrganization",
      method: "post",
      path: "/api/auth/organizations",
      tag: "organizations",
      summary: "Found an organization",
      description:
        "The caller becomes its administrator. The session stays where it is; switch to act in the new one. At most five a day.",
      access: "signed-in",
      refusesPlatformAdmins: forbidden,
      body: FoundBody,
      example: { name: "Acme" },
      answers: { 201: { description: "Founded", schema: Organization } },
      refusals: [tooManyRequests],
    },
    async (call, { body }) => reply(201, await foundOneMore(call, body.name)),
  ),

  endpoint(
    {
      operationId: "getOrganization",
      method: "get",
      path: "/api/organization",
      tag: "organizations",
      summary: "Read the active organization",
      access: { permission: "Organization.Read" },
      answers: { 200: { description: "The organization", schema: Organization } },
    },
    async (call) => reply(200, await getOrganization(call)),
  ),

  endpoint(
    {
      operationId: "updateOrganization",
      method: "patch",
      path: "/api/organization",
      tag: "organizations",
      summary: "Change the active organization",
      description:
        "`defaultRoleId` is what people get whose invited roles are gone; null is the platform's default. The caller must hold all of it for the whole organization.",
      access: { permission: "Organization.Update" },
      body: UpdateOrganizationBody,
      example: { name: "Acme Corporation", slug: "acme" },
      answers: { 200: { description: "As it is now", schema: Organization } },
      refusals: [organizationIsSuspended, permissionNotHeld, slugTaken],
    },
    async (call, { body }) => reply(200, await updateOrganization(call, body)),
  ),

  endpoint(
    {
      operationId: "listOrganizations",
      method: "get",
      path: "/api/organizations",
      tag: "organizations",
      summary: "List all organizations",
      description: "`search` looks at name and slug. `X-Organization-Id` narrows, as `organization` does.",
      access: "platform-admin",
      query: OrganizationQuery,
      answers: { 200: { description: "A page of organizations", schema: PlatformOrganizationPage } },
    },
    async (call, { query }, request) =>
      reply(200, await listOrganizations(call, query, idsOfHeader(request.headers, "X-Organization-Id"))),
  ),

  endpoint(
    {
      operationId: "createOrganization",
      method: "post",
      path: "/api/organizations",
      tag: "organizations",
      summary: "Create an organization and invite its first administrator",
      description: "Without `ownerRoleIds` as `ORG_ADMIN`; without `slug` under one made of the name.",
      access: "platform-admin",
      body: CreateOrganizationBody,
      example: { name: "Acme", ownerEmail: "ada@example.com" },
      answers: { 201: { description: "Created, and the owner invited", schema: PlatformOrganization } },
      refusals: [forbidden, emailUnavailable, slugTaken],
    },
    async (call, { body }) => reply(201, await createOrganization(call, body)),
  ),

  endpoint(
    {
      operationId: "getPlatformOrganization",
      method: "get",
      path: "/api/organizations/{id}",
      tag: "organizations",
      summary: "Read any organization",
      access: "platform-admin",
      params: OrganizationPath,
      answers: { 200: { description: "The organization", schema: PlatformOrganization } },
      refusals: [notFound],
    },
    async (call, { params }) => reply(200, await getPlatformOrganization(call, params.id)),
  ),

  endpoint(
    {
      operationId: "updatePlatformOrganization",
      method: "patch",
      path: "/api/organizations/{id}",
      tag: "organizations",
      summary: "Rename any organization",
      access: "platform-admin",
      params: OrganizationPath,
      body: PlatformUpdateBody,
      example: { name: "Acme Corporation" },
      answers: { 200: { description: "As it is now", schema: PlatformOrganization } },
      refusals: [forbidden, notFound, slugTaken],
    },
    async (call, { params, body }) => reply(200, await updatePlatformOrganization(call, params.id, body)),
  ),

  endpoint(
    {
      operationId: "deleteOrganization",
      method: "delete",
      path: "/api/organizations/{id}",
      tag: "organizations",
      summary: "Delete any organization",
      description:
        "With its memberships and the sessions that act in it. Its slug stays taken. Not while it has a live subscription.",
      access: "platform-admin",
      params: OrganizationPath,
      answers: { 204: { description: "Deleted" } },
      refusals: [forbidden, notFound, conflict],
    },
    async (call, { params }) => {
      await deleteOrganization(call, params.id);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "setOrganizationStatus",
      method: "patch",
      path: "/api/organizations/{id}/status",
      tag: "organizations",
      summary: "Suspend an organization, or make it active again",
      description:
        "Suspending ends the sessions that act in it; nobody switches into it until it is active again.",
      access: "platform-admin",
      params: OrganizationPath,
      body: StatusBody,
      example: { status: "SUSPENDED" },
      answers: { 200: { description: "As it is now", schema: PlatformOrganization } },
      refusals: [forbidden, notFound],
    },
    async (call, { params, body }) => reply(200, await setOrganizationStatus(call, params.id, body.status)),
  ),

  endpoint(
    {
      operationId: "setPlanOverride",
      method: "patch",
      path: "/api/organizations/{id}/plan",
      tag: "organizations",
      summary: "Put an organization on a plan whatever it pays",
      access: "platform-admin",
      params: OrganizationPath,
      body: PlanBody,
      example: { planOverride: "enterprise" },
      answers: { 200: { description: "As it is now", schema: PlatformOrganization } },
      refusals: [forbidden, notFound],
    },
    async (call, { params, body }) => reply(200, await setPlanOverride(call, params.id, body.planOverride)),
  ),
];
