import { z } from "@hono/zod-openapi";
import { newPassword } from "../../core/accounts/passwords.ts";
import { language, singleLine } from "../../core/definitions/fields.ts";
import { enteredPassword } from "../sessions/schemas.ts";

const name = singleLine({ min: 1, max: 100 });
export const ProfileBody = z
  .strictObject({
    firstName: name.optional().describe("The new first name."),
    lastName: name.optional().describe("The new last name."),
    language: language.optional(),
  })
  .openapi("ProfileBody");

export const ChangePasswordBody = z
  .strictObject({
    currentPassword: enteredPassword.describe("The current password."),
    newPassword: newPassword.describe(
      "Not the email, a common password, or one made of names of the account or the service.",
    ),
  })
  .openapi("ChangePasswordBody");

const proof = z.strictObject({
  password: enteredPassword.optional().describe("Required if the account has a password."),
  code: singleLine({ min: 1, max: 64 })
    .optional()
    .describe("Required if two-factor authentication is on: a code from the app, or a recovery code."),
});
export const DeleteAccountBody = proof.openapi("DeleteAccountBody");
export const ReauthenticateBody = proof.openapi("ReauthenticateBody");
