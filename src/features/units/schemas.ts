import { z } from "@hono/zod-openapi";
import {
  pageOf,
  pathId,
  search,
  singleLine,
  sorting,
  textExample,
  timestamp,
  unpagedListQuery,
  uuid,
} from "#kit";

export const Unit = z
  .object({
    id: uuid.describe("The id of the unit."),
    name: textExample("Sales").describe("The name of the unit."),
    parentId: uuid.nullable().describe("The parent unit; null at the top of the tree."),
    depth: z
      .int()
      .openapi({ description: "The number of ancestors of the unit; 0 at the top of the tree.", example: 1 }),
    memberCount: z.int().openapi({
      description: "The number of members of the unit itself, without those of sub-units.",
      example: 12,
    }),
    createdAt: timestamp.describe("When the unit was created."),
  })
  .openapi("Unit");
export const UnitPage = pageOf(Unit).openapi("UnitPage");
export const UnitPath = z.strictObject({ id: pathId("unit") });
export const UnitQuery = unpagedListQuery({ search, ...sorting({ sorts: ["name"], defaultOrder: "asc" }) });

export const unitName = singleLine({ min: 1, max: 100 });
const parentId = uuid.nullable().openapi({ description: "The parent unit; null for the top of the tree." });
export const CreateUnitBody = z
  .strictObject({ name: unitName.describe("The name of the unit."), parentId })
  .openapi("CreateUnitBody");
export const UpdateUnitBody = z
  .strictObject({
    name: unitName.optional().describe("The new name."),
    parentId: parentId
      .optional()
      .describe("The new parent unit; null for the top of the tree. Apps may not send it."),
  })
  .openapi("UpdateUnitBody");
