import { z } from "@hono/zod-openapi";
import { textExample, uuid } from "#kit";
import { InviteBody } from "./schemas.ts";

/** The maximum number of rows of a request. */
const MAX_ROWS = 200;

export const BulkInviteBody = z
  .strictObject({
    rows: z
      .array(InviteBody)
      .min(1)
      .max(MAX_ROWS)
      .describe("The invitations, in the order in which they get free seats."),
    dryRun: z
      .boolean()
      .optional()
      .describe("If true, nothing is written or mailed: the response shows what the request would do."),
  })
  .openapi("BulkInviteBody");

const BulkInvitation = z
  .object({
    index: z.int().openapi({ description: "The index of the row in the request.", example: 0 }),
    email: textExample("grace@example.com").describe("The email address of the row."),
    outcome: z
      .enum(["invited", "superseded", "refused"])
      .describe("`superseded`: invited, and an earlier invitation of the address was replaced."),
    code: textExample("ALREADY_MEMBER")
      .nullable()
      .describe(
        "Why the row was refused: the error code that a single invitation would get, or `DUPLICATE` if an earlier row has the address. Otherwise null.",
      ),
    message: textExample("Already a member of this organization")
      .nullable()
      .describe("The reason as a sentence; null if the row was not refused."),
    invitationId: uuid
      .nullable()
      .describe("The id of the new invitation; null if the row was refused, and in a dry run."),
  })
  .openapi("BulkInvitation");

export const BulkInvitations = z
  .object({
    rows: z.array(BulkInvitation).describe("One entry for each row of the request, in its order."),
    seats: z
      .object({
        needed: z.int().openapi({
          description:
            "The number of seats for all rows that are not refused for another reason than a missing seat.",
          example: 12,
        }),
        free: z.int().nullable().openapi({
          description: "The number of free seats before the request; null if unlimited.",
          example: 40,
        }),
      })
      .describe("The seats of the plan."),
    mailsWaiting: z.int().openapi({
      description: "The number of these invitations whose mail waits because of a limit.",
      example: 0,
    }),
  })
  .openapi("BulkInvitations");
