import { z } from "@hono/zod-openapi";
import {
  checkEvenIfFieldsFail,
  email,
  language,
  listQuery,
  pageOf,
  pathId,
  peopleSearch,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { newPassword } from "../../core/accounts/passwords.ts";
import { linkToken } from "../../core/accounts/user.ts";
import { Assignment, assignmentsInput } from "../members/schemas.ts";

export const Invitation = z
  .object({
    id: uuid.describe("The id of the invitation."),
    organizationId: uuid.describe("The organization that the invitation is for."),
    email: textExample("grace@example.com").describe("The invited email address."),
    language,
    assignments: z.array(Assignment).describe("The roles that acceptance grants, within the caller's reach."),
    invitedBy: z
      .object({
        id: uuid.describe("The id of the inviter's account."),
        email: textExample("ada@example.com").describe("The email of the inviter."),
      })
      .nullable()
      .describe(
        "The user who last sent the invitation; null if a service account sent it or the user's account was deleted.",
      ),
    invitedByServiceAccount: z
      .object({
        id: uuid.describe("The id of the service account."),
        name: textExample("Deploy bot").describe("The name of the service account."),
      })
      .nullable()
      .describe(
        "The service account that last sent the invitation; null if a user sent it or the service account was deleted.",
      ),
    expiresAt: timestamp.describe("When the invitation link expires."),
    lastSentAt: timestamp.describe("When the invitation mail was last sent."),
    createdAt: timestamp.describe("When the invitation was created."),
    expired: z.boolean().openapi({
      description:
        "Whether the link does not work, because it has expired, the inviter left the organization or the service account that sent it is disabled. It then holds no seat.",
    }),
  })
  .openapi("Invitation");
export const InvitationPage = pageOf(Invitation).openapi("InvitationPage");
export const InvitationPath = z.strictObject({ id: pathId("invitation") });
export const InvitationQuery = listQuery(
  { sorts: ["createdAt", "email"], defaultOrder: "desc" },
  { search: peopleSearch },
);

export const InviteBody = z
  .strictObject({
    email: email.describe("The invited email address."),
    assignments: assignmentsInput
      .min(1)
      .describe("The roles that acceptance grants: at least one, at most 50."),
    language: language.optional(),
  })
  .openapi("InviteBody");

export const PreviewQuery = z.strictObject({
  token: linkToken.openapi({ param: { description: "The token of the mailed link." } }),
});
export const PreviewResponse = z
  .object({
    email: textExample("grace@example.com").describe("The invited email address."),
    expiresAt: timestamp.describe("When the invitation link expires."),
    organization: z
      .object({ name: textExample("Acme").describe("The name of the organization.") })
      .describe("The organization that the invitation is for."),
    accountExists: z.boolean().describe("Whether an account has this email, confirmed or not."),
  })
  .openapi("InvitationPreview");

const NEW_ACCOUNT = ["password", "firstName", "lastName"] as const;

export const AcceptBody = z
  .strictObject({
    token: linkToken.describe("The token of the mailed link."),
    password: newPassword
      .optional()
      .describe(
        "For a new account, the password: not the email, not a common password, and not made only of names of the account or the service.",
      ),
    firstName: singleLine({ min: 1, max: 100 }).optional().describe("For a new account: the first name."),
    lastName: singleLine({ min: 1, max: 100 }).optional().describe("For a new account: the last name."),
  })
  .superRefine((body, ctx) => {
    const isNew = NEW_ACCOUNT.some((field) => body[field] !== undefined);
    for (const field of NEW_ACCOUNT) {
      if (isNew && body[field] === undefined)
        ctx.addIssue({ code: "custom", path: [field], message: "is required", input: undefined });
    }
  }, checkEvenIfFieldsFail)
  .openapi("AcceptInvitationBody", {
    description:
      "For an existing account, send only the token; for a new account, token, password and names.",
  });
