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
} from "#kit";
import { common, credentials } from "./connection-routes.ts";
import {
  Mapping,
  MappingBody,
  MappingPage,
  MappingPath,
  MappingPreview,
  MappingQuery,
} from "./mapping-schemas.ts";
import { createMapping, deleteMapping, listMappings, previewMapping } from "./mappings.ts";

const MAPPINGS = "/api/organization/mappings";
const ID = "0190c7a0-0000-7000-8000-000000000001";
const EXAMPLE = { connectionId: ID, group: "engineering", roleId: ID };

const listMappingsRoute = route({
  operationId: "listSsoMappings",
  method: "get",
  path: MAPPINGS,
  ...common,
  summary: "List the mappings of groups to roles",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  request: { query: MappingQuery },
  responses: { 200: json(MappingPage, "A page of mappings") },
});

const createMappingRoute = route({
  operationId: "createSsoMapping",
  method: "post",
  path: MAPPINGS,
  ...credentials,
  summary: "Map a group to a role",
  description:
    "Gives the role at the next sign-in of each person of the group. The caller must hold its permissions at the place. An organization has at most 500 mappings.",
  access: { permission: "SingleSignOn.Update", feature: "sso" },
  refusesPlatformAdmins: forbidden,
  request: { body: jsonBody(MappingBody, EXAMPLE) },
  responses: { 201: json(Mapping, "Mapped") },
  idempotent: true,
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const previewMappingRoute = route({
  operationId: "previewSsoMapping",
  method: "post",
  path: `${MAPPINGS}/preview`,
  ...common,
  summary: "See who would get a role by a mapping",
  description: "Writes nothing. Needs `Members.Read` for the whole organization too.",
  access: { permission: "SingleSignOn.Read" },
  apiKeys: false,
  // Counts everybody who had the group.
  reads: "list",
  request: { body: jsonBody(MappingBody, EXAMPLE) },
  responses: { 200: json(MappingPreview, "Who had the group at the last sign-in") },
  errors: [forbidden],
});

const deleteMappingRoute = route({
  operationId: "deleteSsoMapping",
  method: "delete",
  path: `${MAPPINGS}/{id}`,
  ...credentials,
  summary: "Delete a mapping",
  description: "Takes away at once what no other mapping of the connection gives.",
  access: { permission: "SingleSignOn.Update" },
  request: { params: MappingPath },
  responses: { 204: empty("Deleted") },
  errors: [notFound],
});

export const mappingRoutes = new Router("connections")
  .openapi(listMappingsRoute, async (c) => c.json(await listMappings(c.var.call, c.req.valid("query")), 200))
  .openapi(createMappingRoute, (c) => idempotent(c, 201, (tx) => createMapping(tx, c.req.valid("json"))))
  .openapi(previewMappingRoute, async (c) => {
    const { call } = c.var;
    if (!call.permissions.holdsEverywhere(["Members.Read"])) throw forbidden();
    return c.json(await previewMapping(call, c.req.valid("json")), 200);
  })
  .openapi(deleteMappingRoute, (c) => noContent(c, deleteMapping(c.var.call, c.req.valid("param").id)));
