import { z } from "@hono/zod-openapi";
import { checkEvenIfFieldsFail, email, language, singleLine, textExample } from "../../core/api/fields.ts";
import { isOwnEmail, NOT_THE_EMAIL, newPassword } from "../../core/people/passwords.ts";
import { linkToken } from "../../core/people/schemas.ts";

export const RegisterBody = z
  .strictObject({
    email,
    password: newPassword,
    firstName: singleLine({ min: 1, max: 100 }),
    lastName: singleLine({ min: 1, max: 100 }),
    language: language.optional(),
    organizationName: singleLine({ min: 1, max: 100 }).optional(),
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

export const EmailBody = z.strictObject({ email }).openapi("EmailBody");
export const VerifyEmailBody = z.strictObject({ token: linkToken }).openapi("VerifyEmailBody");
export const ResetPasswordBody = z
  .strictObject({ token: linkToken, newPassword })
  .openapi("ResetPasswordBody");
export const RegisteredResponse = z.object({ email: textExample("ada@example.com") }).openapi("Registered");
