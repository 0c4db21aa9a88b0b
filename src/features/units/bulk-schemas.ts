import { z } from "@hono/zod-openapi";
import { textExample, uuid } from "#kit";
import { unitName } from "./schemas.ts";

/** The maximum number of paths of a request, and of names of a path. */
const [MAX_PATHS, MAX_NAMES] = [1_000, 20];

export const BulkUnitsBody = z
  .strictObject({
    parentId: uuid.nullable().optional().openapi({
      description: "The unit below which the paths begin; null or absent for the top of the tree.",
    }),
    paths: z
      .array(z.array(unitName.describe("The name of a unit.")).min(1).max(MAX_NAMES))
      .min(1)
      .max(MAX_PATHS)
      .describe("Paths of names, each from the top to a unit."),
    dryRun: z
      .boolean()
      .optional()
      .describe("If true, nothing is written: the response shows what the request would do."),
  })
  .openapi("BulkUnitsBody");

const BulkUnit = z
  .object({
    path: z.array(textExample("Europe")).describe("The names from the beginning of the path to the unit."),
    id: uuid.nullable().describe("The id of the unit; null in a dry run for a unit that does not exist."),
    outcome: z.enum(["created", "exists"]).describe("Whether the unit was created or existed before."),
  })
  .openapi("BulkUnit");

export const BulkUnits = z
  .object({
    units: z.array(BulkUnit).describe("Every unit on the paths once, each after its parent."),
    created: z.int().openapi({ description: "The number of units that were created.", example: 2 }),
    limit: z
      .object({
        needed: z.int().openapi({ description: "The number of units to create.", example: 2 }),
        free: z.int().nullable().openapi({
          description: "The number of units that the plan allowed before; null if unlimited.",
          example: 40,
        }),
      })
      .describe("The limit of the plan."),
  })
  .openapi("BulkUnits");
