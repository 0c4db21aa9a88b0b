import { forbidden, idsOfHeader, json, notFound, Router, raw, route } from "#kit";
import { exportContents } from "./export.ts";
import { exportOrganizationEvents, exportPlatformEvents } from "./export-access.ts";
import { proofOf } from "./proof.ts";
import { AuditProof, ProofQuery } from "./proof-schemas.ts";
import { listOrganizationEvents, listPlatformEvents, organizationHistogram } from "./read.ts";
import {
  AuditEventPage,
  AuditExportQuery,
  AuditHistogram,
  AuditHistogramQuery,
  AuditQuery,
  PlatformAuditExportQuery,
  PlatformAuditQuery,
} from "./schemas.ts";

const FILTERS =
  "`search` matches action, IP address, request id and the actor's email. `unit` and `member` return only events of matching users.";
const IN_UNITS =
  "If the caller holds the permission in a unit, the log contains the caller's own events, and events of present and past members of that unit and its sub-units about records in these units. Metadata that names records outside of these units is omitted.";
const EXPORT =
  "Streams every event that the list returns with the same filters. CSV is UTF-8 and begins with a byte order mark; every cell is quoted, a cell that spreadsheets would read as a formula begins with `'`, and `;` in the JSON of metadata is written `\\u003b`. Events that are written after the export began are not included. The download is aborted after ten minutes, or when the caller loses the permission.";
const EXPORTED = {
  200: raw(exportContents, "The events, one per line"),
};
const PROOF =
  "Events are sealed every minute into a chain of batches, whose last digest changes if an event is changed, removed, added or reordered. Save this digest outside of the service: an owner of the database could recompute all digests. With `eventId`, also returns the sealed batch of that event and the current digest of the event.";
const ORGANIZATION = { permission: "Audit.Read", feature: "audit" } as const;
const named = (request: Request) => idsOfHeader(request.headers, "X-Organization-Id");

const listOrganizationAuditEventsRoute = route({
  operationId: "listOrganizationAuditEvents",
  method: "get",
  path: "/api/organization/audit-events",
  summary: "Read the organization's audit log",
  description: `${FILTERS} ${IN_UNITS}`,
  access: ORGANIZATION,
  request: { query: AuditQuery },
  responses: { 200: json(AuditEventPage, "A page of events, newest first") },
});

const getOrganizationAuditHistogramRoute = route({
  operationId: "getOrganizationAuditHistogram",
  method: "get",
  path: "/api/organization/audit-events/histogram",
  summary: "Count the events of the organization's audit log over time",
  description: "Counts the events that the list returns with the same filters.",
  access: ORGANIZATION,
  request: { query: AuditHistogramQuery },
  responses: { 200: json(AuditHistogram, "The number of events in each interval") },
  reads: "list",
});

const exportOrganizationAuditEventsRoute = route({
  operationId: "exportOrganizationAuditEvents",
  method: "get",
  path: "/api/organization/audit-events/export",
  summary: "Export the organization's audit log",
  description: EXPORT,
  access: ORGANIZATION,
  apps: false,
  request: { query: AuditExportQuery },
  responses: EXPORTED,
  reads: "export",
});

const getOrganizationAuditProofRoute = route({
  operationId: "getOrganizationAuditProof",
  method: "get",
  path: "/api/organization/audit-events/proof",
  summary: "Get the digest of the organization's audit log",
  description: PROOF,
  access: { ...ORGANIZATION, organizationWide: true },
  apps: false,
  request: { query: ProofQuery },
  responses: { 200: json(AuditProof, "The state of the chain and its last digest") },
  errors: [notFound],
  reads: "list",
});

const listAuditEventsRoute = route({
  operationId: "listAuditEvents",
  method: "get",
  path: "/api/audit-events",
  summary: "Read the whole audit log",
  description: `${FILTERS} \`X-Organization-Id\` filters like \`organization\`.`,
  access: "platform-admin",
  request: { query: PlatformAuditQuery },
  responses: { 200: json(AuditEventPage, "A page of events, newest first") },
});

const exportAuditEventsRoute = route({
  operationId: "exportAuditEvents",
  method: "get",
  path: "/api/audit-events/export",
  summary: "Export the whole audit log",
  description: EXPORT,
  access: "platform-admin",
  request: { query: PlatformAuditExportQuery },
  responses: EXPORTED,
  errors: [forbidden],
  reads: "export",
});

const getAuditProofRoute = route({
  operationId: "getAuditProof",
  method: "get",
  path: "/api/audit-events/proof",
  summary: "Get the digest of the events without an organization",
  description: `${PROOF} Each organization has a chain of its own.`,
  access: "platform-admin",
  request: { query: ProofQuery },
  responses: { 200: json(AuditProof, "The state of the chain and its last digest") },
  errors: [notFound],
  reads: "list",
});

export const auditRoutes = new Router("audit")
  .openapi(listOrganizationAuditEventsRoute, async (c) =>
    c.json(await listOrganizationEvents(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(getOrganizationAuditHistogramRoute, async (c) =>
    c.json(await organizationHistogram(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(
    exportOrganizationAuditEventsRoute,
    async (c) => await exportOrganizationEvents(c.var.call, c.req.valid("query")),
  )
  .openapi(listAuditEventsRoute, async (c) =>
    c.json(await listPlatformEvents(c.var.call, c.req.valid("query"), named(c.req.raw)), 200),
  )
  .openapi(
    exportAuditEventsRoute,
    async (c) => await exportPlatformEvents(c.var.call, c.req.valid("query"), named(c.req.raw)),
  )
  .openapi(getOrganizationAuditProofRoute, async (c) => {
    return c.json(await proofOf(c.var.call, c.var.call.organizationId, c.req.valid("query").eventId), 200);
  })
  .openapi(getAuditProofRoute, async (c) =>
    c.json(await proofOf(c.var.call, null, c.req.valid("query").eventId), 200),
  );
