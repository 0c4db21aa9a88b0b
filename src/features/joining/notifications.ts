import { z } from "@hono/zod-openapi";
import { uuid } from "#kit";

const ofOrganization = z.object({ organizationId: uuid.describe("The organization.") });

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  JOIN_REQUESTED: ofOrganization.extend({
    count: z.int().openapi({ example: 1 }).describe("How many requests are open."),
  }),
  JOIN_APPROVED: ofOrganization,
} as const satisfies Record<string, z.ZodObject>;
