import { z } from "@hono/zod-openapi";
import { RoleEntry, uuid } from "#kit";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  ROLES_CHANGED: z.object({
    added: z.array(RoleEntry).describe("The added role assignments."),
    removed: z.array(RoleEntry).describe("The removed role assignments."),
    organizationId: uuid.describe("The id of the organization in which the roles changed."),
  }),
} as const satisfies Record<string, z.ZodObject>;
