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
  Router,
  route,
  tooManyRequests,
} from "#kit";
import type { RouteDefinition } from "#kit/inside";
import { ssoIsOn } from "../../core/access/sign-on-config.ts";
import { domainNotVerified, domainTaken } from "../../core/access/sign-on-errors.ts";
import { checkedElsewhere } from "./errors.ts";
import { createDomain, deleteDomain } from "./manage.ts";
import { listDomains, showDomain } from "./read.ts";
import {
  CreateDomainBody,
  Domain,
  DomainPage,
  DomainPath,
  DomainQuery,
  UpdateDomainBody,
} from "./schemas.ts";
import { updateDomain } from "./update.ts";
import { verifyDomain } from "./verify.ts";

const DOMAINS = "/api/organization/domains";
const common = { existsIf: ssoIsOn } satisfies Partial<RouteDefinition>;
/** Of the routes that change how people sign in. */
const credentials = {
  ...common,
  apiKeys: false,
  reauthentication: { classes: ["credentials"] },
} satisfies Partial<RouteDefinition>;

const listDomainsRoute = route({
  operationId: "listDomains",
  method: "get",
  path: DOMAINS,
  ...common,
  summary: "List the domains of the organization",
  description: "Sorted by name, all on one page.",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  setup: "domains",
  request: { query: DomainQuery },
  responses: { 200: json(DomainPage, "The domains") },
});

const getDomainRoute = route({
  operationId: "getDomain",
  method: "get",
  path: `${DOMAINS}/{id}`,
  ...common,
  summary: "Read a domain",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  request: { params: DomainPath },
  responses: { 200: json(Domain, "The domain") },
});

const createDomainRoute = route({
  operationId: "createDomain",
  method: "post",
  path: DOMAINS,
  ...credentials,
  summary: "Add a domain",
  description:
    "Returns the record that proves the domain: publish it in DNS, where it must stay. The response is the same if another organization has the domain. An organization has at most 20 domains; sub-domains are domains of their own.",
  access: { permission: "SingleSignOn.Update" },
  setup: "domains",
  refusesPlatformAdmins: forbidden,
  request: { body: jsonBody(CreateDomainBody, { domain: "acme.com" }) },
  responses: { 201: json(Domain, "Added") },
  idempotent: true,
  errors: [organizationIsSuspended, conflict],
});

const verifyDomainRoute = route({
  operationId: "verifyDomain",
  method: "post",
  path: `${DOMAINS}/{id}/verify`,
  ...common,
  summary: "Check the record of a domain now",
  description:
    "New domains are checked every ten minutes in their first seven days, verified ones daily. Limit: ten checks an hour for an organization.",
  access: { permission: "SingleSignOn.Update" },
  apiKeys: false,
  setup: "domains",
  refusesPlatformAdmins: forbidden,
  request: { params: DomainPath },
  responses: { 200: json(Domain, "The verified domain") },
  errors: [organizationIsSuspended, tooManyRequests, domainNotVerified, domainTaken, checkedElsewhere],
});

const updateDomainRoute = route({
  operationId: "updateDomain",
  method: "patch",
  path: `${DOMAINS}/{id}`,
  ...credentials,
  summary: "Change how people of a domain sign in and join",
  access: { permission: "SingleSignOn.Update" },
  refusesPlatformAdmins: forbidden,
  request: { params: DomainPath, body: jsonBody(UpdateDomainBody, { join: "request" }) },
  responses: { 200: json(Domain, "The changed domain") },
  errors: [organizationIsSuspended, permissionNotHeld, domainNotVerified],
});

const deleteDomainRoute = route({
  operationId: "deleteDomain",
  method: "delete",
  path: `${DOMAINS}/{id}`,
  ...credentials,
  summary: "Remove a domain",
  access: { permission: "SingleSignOn.Update" },
  request: { params: DomainPath },
  responses: { 204: empty("Removed") },
  errors: [notFound, conflict],
});

export const domainRoutes = new Router("domains")
  .openapi(listDomainsRoute, async (c) => c.json(await listDomains(c.var.call, c.req.valid("query")), 200))
  .openapi(getDomainRoute, async (c) => {
    return c.json(await showDomain(c.var.call, c.req.valid("param").id), 200);
  })
  .openapi(createDomainRoute, (c) => idempotent(c, 201, (tx) => createDomain(tx, c.req.valid("json"))))
  .openapi(verifyDomainRoute, async (c) =>
    c.json(await verifyDomain(c.var.call, c.req.valid("param").id), 200),
  )
  .openapi(updateDomainRoute, async (c) =>
    c.json(await updateDomain(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteDomainRoute, (c) => noContent(c, deleteDomain(c.var.call, c.req.valid("param").id)));
