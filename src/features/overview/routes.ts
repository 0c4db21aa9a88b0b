import { idsOfHeader, json, Router, route, unauthenticated } from "#kit";
import { CACHED, cachedResponse } from "./cache.ts";
import { helpdeskFigures, ticketsInReach } from "./helpdesk.ts";
import { organizationOverview } from "./organization.ts";
import { lastDays, OverviewQuery } from "./period.ts";
import { platformOverview } from "./platform.ts";
import { HelpdeskOverview, OrganizationOverview, PlatformOverview } from "./schemas.ts";

const CACHE = "The figures may be up to a minute old.";

const getOrganizationOverviewRoute = route({
  operationId: "getOrganizationOverview",
  method: "get",
  path: "/api/organization/overview",
  summary: "Get the figures of the organization",
  description: `Counts only records that the caller may list. A part is null if the caller lacks its permission. ${CACHE}`,
  access: { permission: "Organization.Read" },
  request: { query: OverviewQuery },
  responses: { 200: json(OrganizationOverview, "The overview") },
  errors: [unauthenticated],
  filterHeaders: {
    unit: "Counts only members of these units and their sub-units, and records of these members.",
  },
  reads: "overview",
});

const getHelpdeskOverviewRoute = route({
  operationId: "getHelpdeskOverview",
  method: "get",
  path: "/api/organization/helpdesk/overview",
  tags: ["helpdesk"],
  summary: "Get the figures of the organization's tickets",
  description: `Counts only tickets that the caller may list. ${CACHE}`,
  access: { permission: "Helpdesk.Read" },
  request: { query: OverviewQuery },
  responses: { 200: json(HelpdeskOverview, "The overview") },
  filterHeaders: { unit: "Counts only tickets of reporters in these units and their sub-units." },
  reads: "overview",
});

const getPlatformOverviewRoute = route({
  operationId: "getPlatformOverview",
  method: "get",
  path: "/api/platform/overview",
  summary: "Get the figures of the platform",
  description: CACHE,
  access: "platform-admin",
  request: { query: OverviewQuery },
  responses: { 200: json(PlatformOverview, "The overview") },
  reads: "overview",
});

export const overviewRoutes = new Router("organizations")
  .openapi(getOrganizationOverviewRoute, async (c) => {
    const query = c.req.valid("query");
    const { call } = c.var;
    const request = ["organization", call.organizationId, query, call.filters.units];
    const overview = await cachedResponse(call, request, () => organizationOverview(call, query));
    return c.json(overview, 200, CACHED);
  })
  .openapi(getHelpdeskOverviewRoute, async (c) => {
    const query = c.req.valid("query");
    const { call } = c.var;
    const request = ["helpdesk", call.organizationId, query, call.filters.units];
    const overview = await cachedResponse(call, request, async () =>
      helpdeskFigures(call, await lastDays(call.db, query), await ticketsInReach(call)),
    );
    return c.json(overview, 200, CACHED);
  })
  .openapi(getPlatformOverviewRoute, async (c) => {
    const query = c.req.valid("query");
    const { call } = c.var;
    const named = idsOfHeader(c.req.raw.headers, "X-Organization-Id");
    const overview = await cachedResponse(call, ["platform", query, named], () =>
      platformOverview(call, query),
    );
    return c.json(overview, 200, CACHED);
  });
