import { z } from "zod";
import {
  conflict,
  empty,
  forbidden,
  idempotent,
  idsOfHeader,
  json,
  jsonBody,
  noContent,
  notFound,
  organizationIsSuspended,
  permissionNotHeld,
  Router,
  route,
  tooManyRequests,
} from "#kit";
import { emailUnavailable } from "../../core/accounts/errors.ts";
import { PlanBody } from "../../core/plans/schemas.ts";
import { createOrganization } from "./create-for-owner.ts";
import { createOrganizationForSelf } from "./create-own.ts";
import { slugTaken } from "./errors.ts";
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
  CreateOwnOrganizationBody,
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
import { policyViolations, updateOrganization } from "./update.ts";

const listMyOrganizationsRoute = route({
  operationId: "listMyOrganizations",
  method: "get",
  path: "/api/auth/organizations",
  summary: "List your organizations",
  description: "Lists all organizations that you are a member of, by name, including suspended ones.",
  access: "signed-in",
  worksConfined: true,
  responses: { 200: json(z.array(OwnOrganization), "The organizations") },
});

const foundOrganizationRoute = route({
  operationId: "foundOrganization",
  method: "post",
  path: "/api/auth/organizations",
  summary: "Create an organization",
  description:
    "The caller becomes administrator of the new organization. The session keeps its active organization; switch to act in the new one. Limit: five a day.",
  access: "signed-in",
  refusesPlatformAdmins: forbidden,
  permittedIf: ({ organizationCreation }) => organizationCreation === "everyone",
  request: { body: jsonBody(CreateOwnOrganizationBody, { name: "Acme" }) },
  responses: { 201: json(Organization, "The organization was created") },
  idempotent: true,
  errors: [tooManyRequests],
});

const getOrganizationRoute = route({
  operationId: "getOrganization",
  method: "get",
  path: "/api/organization",
  summary: "Read the active organization",
  access: { permission: "Organization.Read" },
  responses: { 200: json(Organization, "The organization") },
});

const updateOrganizationRoute = route({
  operationId: "updateOrganization",
  method: "patch",
  path: "/api/organization",
  summary: "Change the active organization",
  description:
    "`defaultRoleId` is the role of people who accept an invitation whose roles no longer exist; null is the platform's default. The caller must hold all permissions of this role for the whole organization. With another `connectedApps`, the connected apps end at once that it does not cover; nothing revives them.",
  access: { permission: "Organization.Update" },
  reauthentication: {
    classes: ["authority"],
    ifBodyHas: { field: ["defaultRoleId", "connectedApps"] },
  },
  furtherViolations: ({ connectedApps }, { app }) => policyViolations(app.config, connectedApps),
  request: { body: jsonBody(UpdateOrganizationBody, { name: "Acme Corporation", slug: "acme" }) },
  responses: { 200: json(Organization, "The changed organization") },
  errors: [organizationIsSuspended, permissionNotHeld, slugTaken],
});

const listOrganizationsRoute = route({
  operationId: "listOrganizations",
  method: "get",
  path: "/api/organizations",
  summary: "List all organizations",
  description: "`search` matches name and slug. `X-Organization-Id` filters like `organization`.",
  access: "platform-admin",
  productKey: true,
  request: { query: OrganizationQuery },
  responses: { 200: json(PlatformOrganizationPage, "A page of organizations") },
});

const createOrganizationRoute = route({
  operationId: "createOrganization",
  method: "post",
  path: "/api/organizations",
  summary: "Create an organization and invite its first administrator",
  description: "`ownerRoleIds` defaults to `ORG_ADMIN`; `slug` is derived from the name.",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  request: { body: jsonBody(CreateOrganizationBody, { name: "Acme", ownerEmail: "ada@example.com" }) },
  responses: { 201: json(PlatformOrganization, "The organization was created and its owner invited") },
  idempotent: true,
  errors: [forbidden, emailUnavailable, slugTaken],
});

const getPlatformOrganizationRoute = route({
  operationId: "getPlatformOrganization",
  method: "get",
  path: "/api/organizations/{id}",
  summary: "Read any organization",
  access: "platform-admin",
  productKey: true,
  request: { params: OrganizationPath },
  responses: { 200: json(PlatformOrganization, "The organization") },
  errors: [notFound],
});

const updatePlatformOrganizationRoute = route({
  operationId: "updatePlatformOrganization",
  method: "patch",
  path: "/api/organizations/{id}",
  summary: "Rename any organization",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  request: { params: OrganizationPath, body: jsonBody(PlatformUpdateBody, { name: "Acme Corporation" }) },
  responses: { 200: json(PlatformOrganization, "The changed organization") },
  errors: [forbidden, notFound, slugTaken],
});

const deleteOrganizationRoute = route({
  operationId: "deleteOrganization",
  method: "delete",
  path: "/api/organizations/{id}",
  summary: "Delete any organization",
  description:
    "Also ends the memberships of the organization and the sessions that act in it. The slug stays taken. Returns 409 while the organization has a live subscription.",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  request: { params: OrganizationPath },
  responses: { 204: empty("The organization was deleted") },
  errors: [forbidden, notFound, conflict],
});

const setOrganizationStatusRoute = route({
  operationId: "setOrganizationStatus",
  method: "patch",
  path: "/api/organizations/{id}/status",
  summary: "Suspend or reactivate an organization",
  description:
    "Suspending ends the sessions that act in the organization. Nobody can switch to it until it is active again.",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  request: { params: OrganizationPath, body: jsonBody(StatusBody, { status: "SUSPENDED" }) },
  responses: { 200: json(PlatformOrganization, "The changed organization") },
  errors: [forbidden, notFound],
});

const setPlanOverrideRoute = route({
  operationId: "setPlanOverride",
  method: "patch",
  path: "/api/organizations/{id}/plan",
  summary: "Override an organization's plan",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  request: { params: OrganizationPath, body: jsonBody(PlanBody, { planOverride: "enterprise" }) },
  responses: { 200: json(PlatformOrganization, "The changed organization") },
  errors: [forbidden, notFound],
});

export const organizationRoutes = new Router("organizations")
  .openapi(listMyOrganizationsRoute, async (c) => c.json(await listMyOrganizations(c.var.call), 200))
  .openapi(foundOrganizationRoute, (c) =>
    idempotent(c, 201, (tx) => createOrganizationForSelf(tx, c.req.valid("json").name)),
  )
  .openapi(getOrganizationRoute, async (c) => c.json(await getOrganization(c.var.call), 200))
  .openapi(updateOrganizationRoute, async (c) =>
    c.json(await updateOrganization(c.var.call, c.req.valid("json")), 200),
  )
  .openapi(listOrganizationsRoute, async (c) =>
    c.json(
      await listOrganizations(
        c.var.call,
        c.req.valid("query"),
        idsOfHeader(c.req.raw.headers, "X-Organization-Id"),
      ),
      200,
    ),
  )
  .openapi(createOrganizationRoute, (c) =>
    idempotent(c, 201, (tx) => createOrganization(tx, c.req.valid("json"))),
  )
  .openapi(getPlatformOrganizationRoute, async (c) =>
    c.json(await getPlatformOrganization(c.var.call, c.req.valid("param").id), 200),
  )
  .openapi(updatePlatformOrganizationRoute, async (c) =>
    c.json(await updatePlatformOrganization(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteOrganizationRoute, (c) =>
    noContent(c, deleteOrganization(c.var.call, c.req.valid("param").id)),
  )
  .openapi(setOrganizationStatusRoute, async (c) =>
    c.json(await setOrganizationStatus(c.var.call, c.req.valid("param").id, c.req.valid("json").status), 200),
  )
  .openapi(setPlanOverrideRoute, async (c) =>
    c.json(await setPlanOverride(c.var.call, c.req.valid("param").id, c.req.valid("json").planOverride), 200),
  );
