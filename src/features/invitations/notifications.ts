import { z } from "@hono/zod-openapi";
import { textExample, uuid } from "#kit";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  INVITATION_ACCEPTED: z.object({
    email: textExample("ada@example.com").describe("The email of the account that accepted the invitation."),
    userId: uuid.describe("The account that accepted the invitation."),
    organizationId: uuid.describe("The organization that the invitation was for."),
  }),
} as const satisfies Record<string, z.ZodObject>;
