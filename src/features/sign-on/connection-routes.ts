import {
  conflict,
  empty,
  forbidden,
  idempotentInSteps,
  json,
  jsonBody,
  noContent,
  notFound,
  type OrganizationCall,
  organizationIsSuspended,
  permissionNotHeld,
  Router,
  route,
} from "#kit";
import type { RouteDefinition } from "#kit/inside";
import { planFeatureRequired } from "../../core/access/errors.ts";
import { ssoIsOn } from "../../core/access/sign-on-config.ts";
import { connectionNotTested } from "../../core/access/sign-on-errors.ts";
import { hasFeature } from "../../core/plans/effective-plan.ts";
import { CreateConnectionBody, UpdateConnectionBody } from "./connection-bodies.ts";
import { createConnection } from "./connection-create.ts";
import { deleteConnection } from "./connection-delete.ts";
import { listConnections, showConnection } from "./connection-read.ts";
import { Connection, ConnectionPage, ConnectionPath, ConnectionQuery } from "./connection-schemas.ts";
import { type Change, isTurningOff, updateConnection } from "./connection-update.ts";

export const CONNECTIONS = "/api/organization/connections";
export const common = { existsIf: ssoIsOn } satisfies Partial<RouteDefinition>;
/** Of the routes that change how people sign in. */
export const credentials = {
  ...common,
  apiKeys: false,
  reauthentication: { classes: ["credentials"] },
} satisfies Partial<RouteDefinition>;
const EXAMPLE = { name: "Acme", oidc: { issuer: "https://id.example.com", clientId: "3f1a" } };

const listConnectionsRoute = route({
  operationId: "listConnections",
  method: "get",
  path: CONNECTIONS,
  ...common,
  summary: "List the connections of the organization",
  description: "The oldest first, all on one page.",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  setup: "connection",
  request: { query: ConnectionQuery },
  responses: { 200: json(ConnectionPage, "The connections") },
});

const getConnectionRoute = route({
  operationId: "getConnection",
  method: "get",
  path: `${CONNECTIONS}/{id}`,
  ...common,
  summary: "Read a connection",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  setup: "connection",
  // Counts the people and the mappings of the connection.
  reads: "list",
  request: { params: ConnectionPath },
  responses: { 200: json(Connection, "The connection") },
});

const createConnectionRoute = route({
  operationId: "createConnection",
  method: "post",
  path: CONNECTIONS,
  ...credentials,
  summary: "Add a connection",
  description:
    "The issuer is asked for its metadata. The connection is a draft until it was tested and enabled. An organization has at most 5.",
  access: { permission: "SingleSignOn.Update", feature: "sso" },
  setup: "connection",
  refusesPlatformAdmins: forbidden,
  request: { body: jsonBody(CreateConnectionBody, EXAMPLE) },
  responses: { 201: json(Connection, "Added") },
  idempotent: true,
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const updateConnectionRoute = route({
  operationId: "updateConnection",
  method: "patch",
  path: `${CONNECTIONS}/{id}`,
  ...credentials,
  summary: "Change, enable or disable a connection",
  description:
    "Another issuer or client makes an enabled connection a draft; with linked people it is 409, as is another claim of the subject. Platform administrators may only disable it, which needs no plan feature.",
  access: { permission: "SingleSignOn.Update" },
  setup: "connection",
  request: { params: ConnectionPath, body: jsonBody(UpdateConnectionBody, { status: "ENABLED" }) },
  responses: { 200: json(Connection, "The changed connection") },
  errors: [
    forbidden,
    planFeatureRequired,
    organizationIsSuspended,
    permissionNotHeld,
    conflict,
    connectionNotTested,
  ],
});

const deleteConnectionRoute = route({
  operationId: "deleteConnection",
  method: "delete",
  path: `${CONNECTIONS}/{id}`,
  ...credentials,
  summary: "Delete a connection",
  description:
    "Ends its identities and mappings. Roles that its groups gave become roles by hand. 409 for the only enabled one while the organization requires single sign-on.",
  access: { permission: "SingleSignOn.Update" },
  request: { params: ConnectionPath },
  responses: { 204: empty("Deleted") },
  errors: [notFound, conflict],
});

/** A setup link sets what the provider determines, and nothing that gives anybody something. @throws forbidden */
function assertMaySet({ actor }: OrganizationCall, body: object): void {
  const isAllowed = (field: string) => ["name", "oidc", "claims", "version"].includes(field);
  if (actor.type === "setup_link" && !Object.keys(body).every(isAllowed)) throw forbidden();
}

/** Checks who may make this change: turning off needs no plan, and is all that platform administrators may do. */
async function assertMayChange(call: OrganizationCall, change: Change): Promise<void> {
  assertMaySet(call, change);
  if (call.actor.type === "setup_link" || isTurningOff(change)) return;
  if (call.actor.isPlatformAdmin) throw forbidden();
  if (!(await hasFeature(call, call.organizationId, "sso"))) throw planFeatureRequired("sso");
}

export const connectionRoutes = new Router("connections")
  .openapi(listConnectionsRoute, async (c) =>
    c.json(await listConnections(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(getConnectionRoute, async (c) => {
    return c.json(await showConnection(c.var.call, c.req.valid("param").id), 200);
  })
  .openapi(createConnectionRoute, (c) => {
    const body = c.req.valid("json");
    assertMaySet(c.var.call, body);
    return idempotentInSteps(c, 201, (last) => createConnection(c.var.call, body, last));
  })
  .openapi(updateConnectionRoute, async (c) => {
    const change = c.req.valid("json");
    await assertMayChange(c.var.call, change);
    return c.json(await updateConnection(c.var.call, c.req.valid("param").id, change), 200);
  })
  .openapi(deleteConnectionRoute, (c) => noContent(c, deleteConnection(c.var.call, c.req.valid("param").id)));
