import { z } from "@hono/zod-openapi";
import { language, singleLine } from "#kit";
import { challengeToken, RequestOptions } from "../../core/accounts/passkey-schemas.ts";
import { newPassword } from "../../core/accounts/passwords.ts";
import { enteredPassword } from "../sessions/schemas.ts";
import { proofFields } from "../two-factor/schemas.ts";

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
      "The password: not the email, not a common password, and not made only of names of the account or the service.",
    ),
  })
  .openapi("ChangePasswordBody");

export const DeleteAccountBody = z.strictObject(proofFields).openapi("DeleteAccountBody");
export const ReauthenticateBody = z
  .strictObject({
    ...proofFields,
    code: proofFields.code.describe(
      "A code from the authenticator app. Required if two-factor authentication is on, unless `recoveryCode` is sent.",
    ),
  })
  .openapi("ReauthenticateBody");

export const ProofOptions = z
  .object({ challengeToken, options: RequestOptions.describe("For `navigator.credentials.get`.") })
  .openapi("PasskeyProofOptions");
