import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  Router,
  route,
  transaction,
  unitForbidden,
} from "#kit";
import { appNotAllowed } from "#kit/inside";
import { createUnits } from "./bulk.ts";
import { BulkUnits, BulkUnitsBody } from "./bulk-schemas.ts";
import { unitCycle, unitNotEmpty } from "./errors.ts";
import { listUnitsInReach } from "./read.ts";
import { CreateUnitBody, Unit, UnitPage, UnitPath, UnitQuery, UpdateUnitBody } from "./schemas.ts";
import { createUnit, deleteUnit, updateUnit } from "./write.ts";

/** The paths of 10,000 units, of names that fit into one body. */
const MAX_RESPONSE_BYTES = 4 * 1_024 * 1_024;

const listUnitsRoute = route({
  operationId: "listUnits",
  method: "get",
  path: "/api/units",
  summary: "List units",
  description: "Lists the units depth-first, siblings by name, all on one page. `search` matches names.",
  access: { permission: "Units.Read" },
  productKey: true,
  request: { query: UnitQuery },
  responses: { 200: json(UnitPage, "The units") },
  filterHeaders: { unit: "Return only these units and their sub-units." },
});

const createUnitRoute = route({
  operationId: "createUnit",
  method: "post",
  path: "/api/units",
  summary: "Create a unit",
  description:
    "To create a unit at the top of the tree, the caller must hold the permission for the whole organization. An organization has at most 10,000 units, on at most 100 levels.",
  access: { permission: "Units.Create" },
  apps: true,
  request: { body: jsonBody(CreateUnitBody, { name: "Sales", parentId: null }) },
  responses: { 201: json(Unit, "The unit was created") },
  idempotent: true,
  errors: [organizationIsSuspended, unitForbidden, conflict, planLimitReached],
});

const bulkUnitsRoute = route({
  operationId: "createUnits",
  method: "post",
  path: "/api/units/bulk",
  summary: "Create units of many paths",
  description:
    "Creates the units of all paths with their missing parents, or nothing. A unit that exists is used if its name is equal in NFKC and without case, the oldest of several. Without `parentId`, the caller must hold the permission for the whole organization. With `dryRun` nothing is written, an `Idempotency-Key` is ignored, and the response shows what the plan's limit lacks.",
  access: { permission: "Units.Create" },
  request: { body: jsonBody(BulkUnitsBody, { parentId: null, paths: [["Europe", "Lisbon"]], dryRun: true }) },
  responses: { 200: json(BulkUnits, "The units") },
  idempotent: true,
  maxStoredBytes: MAX_RESPONSE_BYTES,
  errors: [organizationIsSuspended, unitForbidden, conflict, planLimitReached],
});

const updateUnitRoute = route({
  operationId: "updateUnit",
  method: "patch",
  path: "/api/units/{id}",
  summary: "Rename or move a unit",
  description:
    "To move a unit, the caller must hold the permission in the old and the new parent. A move must not give the caller, or the service accounts of the same person, a permission over the unit that the caller does not have now. The tree has at most 100 levels.",
  access: { permission: "Units.Update" },
  apps: true,
  reauthentication: { classes: ["authority"], ifBodyHas: { field: "parentId" } },
  request: { params: UnitPath, body: jsonBody(UpdateUnitBody, { name: "Sales and marketing" }) },
  responses: { 200: json(Unit, "The changed unit") },
  errors: [organizationIsSuspended, unitForbidden, permissionNotHeld, appNotAllowed, unitCycle, conflict],
});

const deleteUnitRoute = route({
  operationId: "deleteUnit",
  method: "delete",
  path: "/api/units/{id}",
  summary: "Delete an empty unit",
  description:
    "The caller must also hold the permission in the parent unit; for a unit at the top of the tree, for the whole organization.",
  access: { permission: "Units.Delete" },
  apps: true,
  request: { params: UnitPath },
  responses: { 204: empty("The unit was deleted") },
  errors: [organizationIsSuspended, unitForbidden, unitNotEmpty],
});

export const unitRoutes = new Router("units")
  .openapi(listUnitsRoute, async (c) => c.json(await listUnitsInReach(c.var.call, c.req.valid("query")), 200))
  .openapi(createUnitRoute, (c) => idempotent(c, 201, (tx) => createUnit(tx, c.req.valid("json"))))
  .openapi(bulkUnitsRoute, async (c) => {
    const body = c.req.valid("json");
    if (body.dryRun) return c.json(await transaction(c.var.call, (tx) => createUnits(tx, body)), 200);
    return idempotent(c, 200, (tx) => createUnits(tx, body));
  })
  .openapi(updateUnitRoute, async (c) =>
    c.json(await updateUnit(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteUnitRoute, (c) => noContent(c, deleteUnit(c.var.call, c.req.valid("param").id)));
