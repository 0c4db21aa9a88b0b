import { endpoint, reply } from "../../core/api/endpoint.ts";
import { idsOfHeader } from "../../core/api/id-headers.ts";
import {
  conflict,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  unitCycle,
  unitForbidden,
  unitNotEmpty,
} from "../../platform/errors.ts";
import { listUnitsInReach } from "./read.ts";
import { CreateUnitBody, Unit, UnitPage, UnitPath, UnitQuery, UpdateUnitBody } from "./schemas.ts";
import { createUnit, deleteUnit, updateUnit } from "./write.ts";

export const unitEndpoints = [
  endpoint(
    {
      operationId: "listUnits",
      method: "get",
      path: "/api/units",
      tag: "units",
      summary: "List the units in reach",
      description: "Depth-first, siblings by name, all on one page; `search` looks at names.",
      access: { permission: "Units.Read" },
      filterHeaders: { unit: "Keeps these units and their sub-units." },
      query: UnitQuery,
      answers: { 200: { description: "The units", schema: UnitPage } },
    },
    async (call, { query }, request) =>
      reply(200, await listUnitsInReach(call, query, idsOfHeader(request.headers, "X-Filter-Unit"))),
  ),

  endpoint(
    {
      operationId: "createUnit",
      method: "post",
      path: "/api/units",
      tag: "units",
      summary: "Create a unit",
      description:
        "At the top only by those who hold the permission for the whole organization. An organization has at most 10,000 units, on at most 100 levels.",
      access: { permission: "Units.Create" },
      body: CreateUnitBody,
      example: { name: "Sales", parentId: null },
      answers: { 201: { description: "Created", schema: Unit } },
      refusals: [organizationIsSuspended, unitForbidden, conflict, planLimitReached],
    },
    async (call, { body }) => reply(201, await createUnit(call, body)),
  ),

  endpoint(
    {
      operationId: "updateUnit",
      method: "patch",
      path: "/api/units/{id}",
      tag: "units",
      summary: "Rename or move a unit",
      description:
        "A move needs the permission over the old and the new parent, and must not give the mover a permission over the unit that they lack now. Nothing moves below the 100th level.",
      access: { permission: "Units.Update" },
      params: UnitPath,
      body: UpdateUnitBody,
      example: { name: "Sales and marketing" },
      answers: { 200: { description: "As it is now", schema: Unit } },
      refusals: [organizationIsSuspended, unitForbidden, permissionNotHeld, unitCycle, conflict],
    },
    async (call, { params, body }) => reply(200, await updateUnit(call, params.id, body)),
  ),

  endpoint(
    {
      operationId: "deleteUnit",
      method: "delete",
      path: "/api/units/{id}",
      tag: "units",
      summary: "Delete an empty unit",
      description: "Needs the permission over its parent too; at the top, for the whole organization.",
      access: { permission: "Units.Delete" },
      params: UnitPath,
      answers: { 204: { description: "Deleted" } },
      refusals: [organizationIsSuspended, unitForbidden, unitNotEmpty],
    },
    async (call, { params }) => {
      await deleteUnit(call, params.id);
      return reply(204);
    },
  ),
];
