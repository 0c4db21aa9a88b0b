import { z } from "@hono/zod-openapi";
import { pathId, singleLine, textExample, timestamp, uuid } from "../../core/api/fields.ts";
import { pageOf, search, sorting, wholeListQuery } from "../../core/api/paging.ts";

export const Unit = z
  .object({
    id: uuid,
    name: textExample("Sales"),
    parentId: uuid.nullable(),
    depth: z.int().openapi({ description: "0 at the top.", example: 1 }),
    memberCount: z.int().openapi({ description: "Members linked to the unit itself.", example: 12 }),
    createdAt: timestamp,
  })
  .openapi("Unit");
export const UnitPage = pageOf(Unit).openapi("UnitPage");
export const UnitPath = z.strictObject({ id: pathId("unit") });
export const UnitQuery = wholeListQuery({ search, ...sorting({ sorts: ["name"], defaultOrder: "asc" }) });

const name = singleLine({ min: 1, max: 100 });
const parentId = uuid.nullable().openapi({ description: "Null for the top." });
export const CreateUnitBody = z.strictObject({ name, parentId }).openapi("CreateUnitBody");
export const UpdateUnitBody = z
  .strictObject({ name: name.optional(), parentId: parentId.optional() })
  .openapi("UpdateUnitBody");
