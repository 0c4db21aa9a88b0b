import { z } from "@hono/zod-openapi";
import { checkEvenIfFieldsFail, email, language, singleLine, textExample } from "#kit";
import { botToken } from "../../core/accounts/outside-checks.ts";
import { isOwnEmail, NOT_THE_EMAIL, newPassword } from "../../core/accounts/passwords.ts";
import { linkToken } from "../../core/accounts/user.ts";

export const RegisterBody = z
  .strictObject({
    email: email.describe("The email of the new account; confirm it by the mailed link."),
    password: newPassword.describe(
      "The password: not the email, not a common password, and not made only of names of the account or the service.",
    ),
    firstName: singleLine({ min: 1, max: 100 }).describe("The first name."),
    lastName: singleLine({ min: 1, max: 100 }).describe("The last name."),
    language: language.optional(),
    organizationName: singleLine({ min: 1, max: 100 })
      .optional()
      .describe("The name of an organization to create as soon as the email is confirmed; optional."),
    botToken,
  })
  .refine(
    ({ email, password }) =>
      typeof email !== "string" || typeof password !== "string" || !isOwnEmail(password, email),
    {
      path: ["password"],
      message: NOT_THE_EMAIL,
      ...checkEvenIfFieldsFail,
    },
  )
  .openapi("RegisterBody");

export const EmailBody = z
  .strictObject({ email: email.describe("The email of the account."), botToken })
  .openapi("EmailBody");
export const VerifyEmailBody = z
  .strictObject({ token: linkToken.describe("The token of the mailed link.") })
  .openapi("VerifyEmailBody");
export const ResetPasswordBody = z
  .strictObject({
    token: linkToken.describe("The token of the mailed link."),
    newPassword: newPassword.describe(
      "The password: not the email, not a common password, and not made only of names of the account or the service.",
    ),
  })
  .openapi("ResetPasswordBody");
export const RegisteredResponse = z
  .object({ email: textExample("ada@example.com").describe("The email that the link was sent to.") })
  .openapi("Registered");
