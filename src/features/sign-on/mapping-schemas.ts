import { z } from "@hono/zod-openapi";
import { idFilter, listQuery, pageOf, pathId, textExample, timestamp, uuid } from "#kit";
import { isGroup } from "./answer.ts";

export const Mapping = z
  .object({
    id: uuid.describe("The id of the mapping."),
    connectionId: uuid.describe("The connection."),
    group: textExample("engineering").describe("The group, as the provider sends it."),
    role: z
      .object({
        id: uuid.describe("The id of the role."),
        name: textExample("MEMBER").describe("The name of the role."),
      })
      .describe("The role that the group gives."),
    unit: z
      .object({
        id: uuid.describe("The id of the unit."),
        name: textExample("Sales").describe("The name of the unit."),
      })
      .nullable()
      .describe("The unit in which the group gives the role; null for the whole organization."),
    createdAt: timestamp.describe("When the mapping was made."),
  })
  .openapi("SsoMapping");
export const MappingPage = pageOf(Mapping).openapi("SsoMappingPage");
export const MappingQuery = listQuery(
  { sorts: ["createdAt"], defaultOrder: "asc" },
  { connectionId: idFilter("Only mappings of these connections.") },
);
export const MappingPath = z.strictObject({ id: pathId("mapping") });

export const MappingBody = z
  .strictObject({
    connectionId: uuid.describe("A connection of the organization."),
    group: z
      .string()
      .min(1)
      .refine((text) => [...text].length <= 256, "must have at most 256 characters")
      .refine(
        (text) => text === "" || [...text].length > 256 || isGroup(text),
        "must not contain control characters",
      )
      .openapi({ minLength: 1, maxLength: 256, example: "engineering" })
      .describe("The group exactly as the provider sends it; compared byte for byte."),
    roleId: uuid.describe("A role of the organization, or a built-in one."),
    unitId: uuid
      .nullable()
      .default(null)
      .describe("The unit in which to give the role; null for the whole organization."),
  })
  .openapi("SsoMappingBody");

const MAX_GAINS = 100;
export const MappingPreview = z
  .object({
    gains: z
      .array(
        z.object({
          userId: uuid.describe("The id of the account."),
          email: textExample("ada@example.com").describe("The email of the account."),
          holdsAlready: z.boolean().describe("Whether the person has the role at this place already."),
        }),
      )
      .describe(`Who had the group at the last sign-in, at most ${MAX_GAINS}.`),
    total: z.int().openapi({ example: 1 }).describe("How many people had it."),
  })
  .openapi("SsoMappingPreview");
