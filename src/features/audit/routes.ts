import { idsOfHeader } from "../../core/api/id-headers.ts";
import { json, raw, route } from "../../core/api/route.ts";
import { Router } from "../../core/api/router.ts";
import { exportContents, exportEvents } from "./export.ts";
import { listOrganizationEvents, listPlatformEvents } from "./read.ts";
import {
  AuditEventPage,
  AuditExportQuery,
  AuditQuery,
  PlatformAuditExportQuery,
  PlatformAuditQuery,
} from "./schemas.ts";
import { visibilityInOrganization, visibilityOnPlatform } from "./visibility.ts";

const FILTERS =
  "`search` looks at action, IP, request id and the actor's email; `unit` and `member` keep the events of these people.";
const IN_UNITS =
  "Held in a unit, it shows one's own events, and those of the people of its subtree, past ones too, about what is not above them; entries of the metadata that name what is outside are left out.";
const EXPORT =
  "All that the list shows with the same filters, streamed. In CSV every cell is quoted, one that a spreadsheet would take for a formula begins with `'`, and `;` in the metadata's JSON is written `\\u003b`.";
const EXPORTED = {
  200: raw(exportContents, "The events, one a line"),
};
const ORGANIZATION = { permission: "Audit.Read", feature: "audit" } as const;
const named = (request: Request) => idsOfHeader(request.headers, "X-Organization-Id");

const listOrganizationAuditEventsRoute = route({
  operationId: "listOrganizationAuditEvents",
  method: "get",
  path: "/api/organization/audit-events",
  tags: ["audit"],
  summary: "Read the organization's audit log",
  description: `${FILTERS} ${IN_UNITS}`,
  access: ORGANIZATION,
  request: { query: AuditQuery },
  responses: { 200: json(AuditEventPage, "A page of events, newest first") },
});

const exportOrganizationAuditEventsRoute = route({
  operationId: "exportOrganizationAuditEvents",
  method: "get",
  path: "/api/organization/audit-events/export",
  tags: ["audit"],
  summary: "Export the organization's audit log",
  description: EXPORT,
  access: ORGANIZATION,
  request: { query: AuditExportQuery },
  responses: EXPORTED,
  reads: "export",
});

const listAuditEventsRoute = route({
  operationId: "listAuditEvents",
  method: "get",
  path: "/api/audit-events",
  tags: ["audit"],
  summary: "Read the whole audit log",
  description: `${FILTERS} \`X-Organization-Id\` narrows, as \`organization\` does.`,
  access: "platform-admin",
  request: { query: PlatformAuditQuery },
  responses: { 200: json(AuditEventPage, "A page of events, newest first") },
});

const exportAuditEventsRoute = route({
  operationId: "exportAuditEvents",
  method: "get",
  path: "/api/audit-events/export",
  tags: ["audit"],
  summary: "Export the whole audit log",
  description: EXPORT,
  access: "platform-admin",
  request: { query: PlatformAuditExportQuery },
  responses: EXPORTED,
  reads: "export",
});

export const auditRoutes = new Router()
  .openapi(listOrganizationAuditEventsRoute, async (c) =>
    c.json(await listOrganizationEvents(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(
    exportOrganizationAuditEventsRoute,
    async (c) =>
      await exportEvents(
        c.var.call.app,
        c.req.valid("query"),
        await visibilityInOrganization(c.var.call, c.req.valid("query")),
      ),
  )
  .openapi(listAuditEventsRoute, async (c) =>
    c.json(await listPlatformEvents(c.var.call, c.req.valid("query"), named(c.req.raw)), 200),
  )
  .openapi(
    exportAuditEventsRoute,
    async (c) =>
      await exportEvents(
        c.var.call.app,
        c.req.valid("query"),
        await visibilityOnPlatform(c.var.call, c.req.valid("query"), named(c.req.raw)),
      ),
  );
