import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  Router,
  route,
  unitForbidden,
} from "#kit";
import { unitCycle, unitNotEmpty } from "./errors.ts";
import { listUnitsInReach } from "./read.ts";
import { CreateUnitBody, Unit, UnitPage, UnitPath, UnitQuery, UpdateUnitBody } from "./schemas.ts";
import { createUnit, deleteUnit, updateUnit } from "./write.ts";

const listUnitsRoute = route({
  operationId: "listUnits",
  method: "get",
  path: "/api/units",
  tags: ["units"],
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
  tags: ["units"],
  summary: "Create a unit",
  description:
    "To create a unit at the top of the tree, the caller must hold the permission for the whole organization. An organization has at most 10,000 units, on at most 100 levels.",
  access: { permission: "Units.Create" },
  request: { body: jsonBody(CreateUnitBody, { name: "Sales", parentId: null }) },
  responses: { 201: json(Unit, "The unit was created") },
  idempotent: true,
  errors: [organizationIsSuspended, unitForbidden, conflict, planLimitReached],
});

const updateUnitRoute = route({
  operationId: "updateUnit",
  method: "patch",
  path: "/api/units/{id}",
  tags: ["units"],
  summary: "Rename or move a unit",
  description:
    "To move a unit, the caller must hold the permission in the old and the new parent. A move must not give the caller, or the service accounts of the same person, a permission over the unit that the caller does not have now. The tree has at most 100 levels.",
  access: { permission: "Units.Update" },
  reauthentication: { classes: ["authority"], ifBodyHas: { field: "parentId" } },
  request: { params: UnitPath, body: jsonBody(UpdateUnitBody, { name: "Sales and marketing" }) },
  responses: { 200: json(Unit, "The changed unit") },
  errors: [organizationIsSuspended, unitForbidden, permissionNotHeld, unitCycle, conflict],
});

const deleteUnitRoute = route({
  operationId: "deleteUnit",
  method: "delete",
  path: "/api/units/{id}",
  tags: ["units"],
  summary: "Delete an empty unit",
  description:
    "The caller must also hold the permission in the parent unit; for a unit at the top of the tree, for the whole organization.",
  access: { permission: "Units.Delete" },
  request: { params: UnitPath },
  responses: { 204: empty("The unit was deleted") },
  errors: [organizationIsSuspended, unitForbidden, unitNotEmpty],
});

export const unitRoutes = new Router()
  .openapi(listUnitsRoute, async (c) => c.json(await listUnitsInReach(c.var.call, c.req.valid("query")), 200))
  .openapi(createUnitRoute, (c) => idempotent(c, 201, (tx) => createUnit(tx, c.req.valid("json"))))
  .openapi(updateUnitRoute, async (c) =>
    c.json(await updateUnit(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteUnitRoute, async (c) => {
    await deleteUnit(c.var.call, c.req.valid("param").id);
    return c.body(null, 204);
  });
