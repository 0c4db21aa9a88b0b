import { endpoint, reply } from "../../core/api/endpoint.ts";
import { idsOfHeader } from "../../core/api/id-headers.ts";
import { exportEvents } from "./export.ts";
import { listOrganizationEvents, listPlatformEvents } from "./read.ts";
import {
  AuditEventPage,
  AuditExportQuery,
  AuditQuery,
  PlatformAuditExportQuery,
  PlatformAuditQuery,
} from "./schemas.ts";
import { visibleInOrganization, visibleOnPlatform } from "./visible.ts";

const FILTERS =
  "`search` looks at action, IP, request id and the actor's email; `unit` and `member` keep the events of these people.";
const IN_UNITS =
  "Held in a unit, it shows one's own events, and those of the people of its subtree, past ones too, about what is not above them; entries of the metadata that name what is outside are left out.";
const EXPORT =
  "All that the list shows with the same filters, streamed. In CSV every cell is quoted, one that a spreadsheet would take for a formula begins with `'`, and `;` in the metadata's JSON is written `\\u003b`.";
const EXPORTED = {
  200: {
    description: "The events, one a line",
    content: {
      "text/csv": { example: '"id","time","action",…' },
      "application/x-ndjson": { example: '{"id":"…"}' },
    },
  },
};
const ORGANIZATION = { permission: "Audit.Read", feature: "audit" } as const;
const named = (request: Request) => idsOfHeader(request.headers, "X-Organization-Id");

export const auditEndpoints = [
  endpoint(
    {
      operationId: "listOrganizationAuditEvents",
      method: "get",
      path: "/api/organization/audit-events",
      tag: "audit",
      summary: "Read the organization's audit log",
      description: `${FILTERS} ${IN_UNITS}`,
      access: ORGANIZATION,
      query: AuditQuery,
      answers: { 200: { description: "A page of events, newest first", schema: AuditEventPage } },
    },
    async (call, { query }) => reply(200, await listOrganizationEvents(call, query)),
  ),

  endpoint(
    {
      operationId: "exportOrganizationAuditEvents",
      method: "get",
      path: "/api/organization/audit-events/export",
      tag: "audit",
      summary: "Export the organization's audit log",
      description: EXPORT,
      access: ORGANIZATION,
      reads: "export",
      query: AuditExportQuery,
      answers: EXPORTED,
    },
    async (call, { query }) => ({
      response: await exportEvents(call.app, query, await visibleInOrganization(call, query)),
    }),
  ),

  endpoint(
    {
      operationId: "listAuditEvents",
      method: "get",
      path: "/api/audit-events",
      tag: "audit",
      summary: "Read the whole audit log",
      description: `${FILTERS} \`X-Organization-Id\` narrows, as \`organization\` does.`,
      access: "platform-admin",
      query: PlatformAuditQuery,
      answers: { 200: { description: "A page of events, newest first", schema: AuditEventPage } },
    },
    async (call, { query }, request) => reply(200, await listPlatformEvents(call, query, named(request))),
  ),

  endpoint(
    {
      operationId: "exportAuditEvents",
      method: "get",
      path: "/api/audit-events/export",
      tag: "audit",
      summary: "Export the whole audit log",
      description: EXPORT,
      access: "platform-admin",
      reads: "export",
      query: PlatformAuditExportQuery,
      answers: EXPORTED,
    },
    async (call, { query }, request) => ({
      response: await exportEvents(call.app, query, await visibleOnPlatform(call, query, named(request))),
    }),
  ),
];
