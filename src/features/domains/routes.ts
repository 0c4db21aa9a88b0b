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
const tags = ["domains"] as const;

const listDomainsRoute = route({
  operationId: "listDomains",
  method: "get",
  path: DOMAINS,
  tags: [...tags],
  summary: "List the domains of the organization",
  description: "Sorted by name, all on one page.",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  setup: "domains",
  existsIf: ssoIsOn,
  request: { query: DomainQuery },
  responses: { 200: json(DomainPage, "The domains") },
});

const getDomainRoute = route({
  operationId: "getDomain",
  method: "get",
  path: `${DOMAINS}/{id}`,
  tags: [...tags],
  summary: "Read a domain",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  existsIf: ssoIsOn,
  request: { params: DomainPath },
  responses: { 200: json(Domain, "The domain") },
});

const createDomainRoute = route({
  operationId: "createDomain",
  method: "post",
  path: DOMAINS,
  tags: [...tags],
  summary: "Add a domain",
  description:
    "Returns the record that proves the domain: publish it in DNS, where it must stay. The response is the same if another organization has the domain. An organization has at most 20 domains; sub-domains are domains of their own.",
  access: { permission: "SingleSignOn.Update" },
  apiKeys: false,
  setup: "domains",
  existsIf: ssoIsOn,
  refusesPlatformAdmins: forbidden,
  reauthentication: { classes: ["credentials"] },
  request: { body: jsonBody(CreateDomainBody, { domain: "acme.com" }) },
  responses: { 201: json(Domain, "Added") },
  idempotent: true,
  errors: [organizationIsSuspended, conflict],
});

const verifyDomainRoute = route({
  operationId: "verifyDomain",
  method: "post",
  path: `${DOMAINS}/{id}/verify`,
  tags: [...tags],
  summary: "Check the record of a domain now",
  description:
    "New domains are checked every ten minutes in their first seven days, verified ones daily. Limit: ten checks an hour for an organization.",
  access: { permission: "SingleSignOn.Update" },
  apiKeys: false,
  setup: "domains",
  existsIf: ssoIsOn,
  refusesPlatformAdmins: forbidden,
  request: { params: DomainPath },
  responses: { 200: json(Domain, "The verified domain") },
  errors: [organizationIsSuspended, tooManyRequests, domainNotVerified, domainTaken, checkedElsewhere],
});

const updateDomainRoute = route({
  operationId: "updateDomain",
  method: "patch",
  path: `${DOMAINS}/{id}`,
  tags: [...tags],
  summary: "Change how people of a domain sign in and join",
  access: { permission: "SingleSignOn.Update" },
  apiKeys: false,
  existsIf: ssoIsOn,
  refusesPlatformAdmins: forbidden,
  reauthentication: { classes: ["credentials"] },
  request: { params: DomainPath, body: jsonBody(UpdateDomainBody, { join: "request" }) },
  responses: { 200: json(Domain, "The changed domain") },
  errors: [organizationIsSuspended, permissionNotHeld, domainNotVerified],
});

const deleteDomainRoute = route({
  operationId: "deleteDomain",
  method: "delete",
  path: `${DOMAINS}/{id}`,
  tags: [...tags],
  summary: "Remove a domain",
  access: { permission: "SingleSignOn.Update" },
  apiKeys: false,
  existsIf: ssoIsOn,
  reauthentication: { classes: ["credentials"] },
  request: { params: DomainPath },
  responses: { 204: empty("Removed") },
  errors: [notFound, conflict],
});

export const domainRoutes = new Router()
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
