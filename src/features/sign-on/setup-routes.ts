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
  Router,
  route,
  tooManyRequests,
} from "#kit";
import { common, credentials } from "./connection-routes.ts";
import { createSetupLink, finishSetup, listSetupLinks, revokeSetupLink, showSetup } from "./setup-links.ts";
import {
  CreateSetupLinkBody,
  SetupLink,
  SetupLinkPage,
  SetupLinkPath,
  SetupLinkQuery,
  SignOnSetup,
} from "./setup-schemas.ts";

const LINKS = "/api/organization/sign-on/setup-links";
const SETUP = "/api/auth/sign-on-setup";
const SETUPS_PER_IP = 6;

const listSetupLinksRoute = route({
  operationId: "listSetupLinks",
  method: "get",
  path: LINKS,
  ...common,
  summary: "List the setup links",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  request: { query: SetupLinkQuery },
  responses: { 200: json(SetupLinkPage, "A page of setup links") },
});

const createSetupLinkRoute = route({
  operationId: "createSetupLink",
  method: "post",
  path: LINKS,
  ...credentials,
  summary: "Send a setup link",
  description:
    "For the person who may change DNS or the provider and is no member. The link is mailed to the address alone. It adds and verifies domains, or makes and tests drafts of connections, but enables nothing. At most 5 are open, and 10 are made a day.",
  access: { permission: "SingleSignOn.Update", feature: "sso" },
  refusesPlatformAdmins: forbidden,
  request: {
    body: jsonBody(CreateSetupLinkBody, { email: "it@example.com", what: ["domains", "connection"] }),
  },
  responses: { 201: json(SetupLink, "Mailed") },
  idempotent: true,
  errors: [organizationIsSuspended, conflict, tooManyRequests],
});

const revokeSetupLinkRoute = route({
  operationId: "revokeSetupLink",
  method: "delete",
  path: `${LINKS}/{id}`,
  ...common,
  summary: "Revoke a setup link",
  access: { permission: "SingleSignOn.Update" },
  apiKeys: false,
  request: { params: SetupLinkPath },
  responses: { 204: empty("Revoked") },
  errors: [notFound],
});

const getSetupRoute = route({
  operationId: "getSignOnSetup",
  method: "get",
  path: SETUP,
  ...common,
  summary: "Read what a setup link is for",
  access: "setup-link",
  throttle: { perIp: SETUPS_PER_IP },
  responses: { 200: json(SignOnSetup, "What to set up") },
  errors: [tooManyRequests],
});

const finishSetupRoute = route({
  operationId: "finishSignOnSetup",
  method: "post",
  path: `${SETUP}/finish`,
  ...common,
  summary: "Finish a setup",
  description: "Ends the link. The members who may change sign-on are told.",
  access: "setup-link",
  responses: { 204: empty("Finished") },
  errors: [tooManyRequests],
});

export const setupRoutes = new Router("connections")
  .openapi(listSetupLinksRoute, async (c) =>
    c.json(await listSetupLinks(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(createSetupLinkRoute, (c) => idempotent(c, 201, (tx) => createSetupLink(tx, c.req.valid("json"))))
  .openapi(revokeSetupLinkRoute, (c) => noContent(c, revokeSetupLink(c.var.call, c.req.valid("param").id)))
  .openapi(getSetupRoute, async (c) => c.json(await showSetup(c.var.call), 200))
  .openapi(finishSetupRoute, (c) => noContent(c, finishSetup(c.var.call)));
