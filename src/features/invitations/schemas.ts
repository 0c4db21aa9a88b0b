import { z } from "@hono/zod-openapi";
import {
  checkEvenIfFieldsFail,
  email,
  language,
  pathId,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "../../core/api/fields.ts";
import { listQuery, pageOf, search } from "../../core/api/paging.ts";
import { newPassword } from "../../core/people/passwords.ts";
import { linkToken } from "../../core/people/schemas.ts";
import { Assignment, assignmentsInput } from "../members/schemas.ts";

export const Invitation = z
  .object({
    id: uuid,
    organizationId: uuid,
    email: textExample("grace@example.com"),
    language,
    assignments: z.array(Assignment),
    invitedBy: z.object({ id: uuid, email: textExample("ada@example.com") }).nullable(),
    expiresAt: timestamp,
    lastSentAt: timestamp,
    createdAt: timestamp,
    expired: z
      .boolean()
      .openapi({ description: "Its link no longer works: its time, or its inviter, is gone." }),
  })
  .openapi("Invitation");
export const InvitationPage = pageOf(Invitation).openapi("InvitationPage");
export const InvitationPath = z.strictObject({ id: pathId("invitation") });
export const InvitationQuery = listQuery({ sorts: ["createdAt", "email"], defaultOrder: "desc" }, { search });

export const InviteBody = z
  .strictObject({ email, assignments: assignmentsInput.min(1), language: language.optional() })
  .openapi("InviteBody");

export const PeekQuery = z.strictObject({
  token: linkToken.openapi({ param: { description: "The secret of the mailed link." } }),
});
export const PeekResponse = z
  .object({
    email: textExample("grace@example.com"),
    expiresAt: timestamp,
    organization: z.object({ name: textExample("Acme") }),
    accountExists: z.boolean(),
  })
  .openapi("InvitationPeek");

const NEW_ACCOUNT = ["password", "firstName", "lastName"] as const;

export const AcceptBody = z
  .strictObject({
    token: linkToken,
    password: newPassword.optional(),
    firstName: singleLine({ min: 1, max: 100 }).optional(),
    lastName: singleLine({ min: 1, max: 100 }).optional(),
  })
  .superRefine((body, ctx) => {
    const isNew = NEW_ACCOUNT.some((field) => body[field] !== undefined);
    for (const field of NEW_ACCOUNT) {
      if (isNew && body[field] === undefined)
        ctx.addIssue({ code: "custom", path: [field], message: "is required", input: undefined });
    }
  }, checkEvenIfFieldsFail)
  .openapi("AcceptInvitationBody", {
    description: "The token alone for an existing account; with password and names for a new one.",
  });
