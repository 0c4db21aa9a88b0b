import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  notFound,
  organizationIsSuspended,
  Router,
  route,
} from "#kit";
import { approveApp, listApprovedApps, nameViolations, removeApprovedApp } from "./approved-apps.ts";
import { ApprovedApp, ApprovedAppBody, ApprovedAppPath, ApprovedApps } from "./approved-schemas.ts";
import { READ, WRITE } from "./kinds.ts";
import { COMMON } from "./routes.ts";

const APPS = "/api/organization/approved-apps";

const listRoute = route({
  ...COMMON,
  ...READ,
  operationId: "listApprovedApps",
  method: "get",
  path: APPS,
  summary: "List the apps that members may connect",
  description:
    "They count under the policy `approved`, together with the registered apps of the organization and of the operator.",
  responses: { 200: json(ApprovedApps, "The approved apps") },
});

const approveRoute = route({
  ...COMMON,
  ...WRITE,
  operationId: "approveApp",
  method: "post",
  path: APPS,
  summary: "Approve an app",
  description:
    "Approves every app of a host, or one by its client id. Where a host has pages of many, approve the client id. An organization has at most 200 approved apps.",
  furtherViolations: ({ app: name }, { app }) => nameViolations(app.config, name),
  request: { body: jsonBody(ApprovedAppBody, { app: "claude.ai" }) },
  responses: { 201: json(ApprovedApp, "Approved") },
  idempotent: true,
  errors: [organizationIsSuspended, conflict],
});

const removeRoute = route({
  ...COMMON,
  ...WRITE,
  operationId: "removeApprovedApp",
  method: "delete",
  path: `${APPS}/{id}`,
  summary: "Take the approval of an app back",
  description: "Under the policy `approved`, connected apps end at once that nothing else covers.",
  request: { params: ApprovedAppPath },
  responses: { 204: empty("The approval was taken back") },
  errors: [notFound],
});

export const approvedAppRoutes = new Router("oauth-clients")
  .openapi(listRoute, async (c) => c.json(await listApprovedApps(c.var.call), 200))
  .openapi(approveRoute, (c) => idempotent(c, 201, (tx) => approveApp(tx, c.req.valid("json").app)))
  .openapi(removeRoute, (c) => noContent(c, removeApprovedApp(c.var.call, c.req.valid("param").id)));
