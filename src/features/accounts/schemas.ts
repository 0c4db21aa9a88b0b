import { z } from "@hono/zod-openapi";
import { acrossFields, email, language, line, rawText, shown } from "../../core/api/fields.ts";
import { isCommon } from "../../platform/passwords/common.ts";
import { MAX_PASSWORD_UNITS, normalized } from "../../platform/passwords/hasher.ts";

const LENGTH = { min: 10, max: 200 };

/** A password that is being chosen: any Unicode, counted in its NFC form. */
export const newPassword = z
  .string()
  .superRefine((value, ctx) => {
    // What follows is not run then: to normalize a long run of combining marks takes seconds.
    if (value.length > MAX_PASSWORD_UNITS)
      ctx.addIssue({ code: "too_big", origin: "string", maximum: LENGTH.max, input: value });
  })
  .transform(normalized)
  .pipe(rawText(LENGTH))
  .superRefine((value, ctx) => {
    if (isCommon(value))
      ctx.addIssue({ code: "custom", message: "must not be a common password", input: value });
  })
  .openapi({ type: "string", format: "password", minLength: LENGTH.min, maxLength: LENGTH.max });

/** Whether a password is the account's own email, which is the first thing that anybody would try. */
export const isOwnEmail = (password: string, ownEmail: string) =>
  password.trim().toLowerCase() === ownEmail.toLowerCase();

export const NOT_THE_EMAIL = "must not be the email address";

/** The secret of a mailed link. Its form is not checked: a wrong one is as dead as an old one. */
export const linkToken = z
  .string()
  .min(1)
  .max(512)
  .openapi({ example: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E" });

export const RegisterBody = z
  .strictObject({
    email,
    password: newPassword,
    firstName: line({ min: 1, max: 100 }),
    lastName: line({ min: 1, max: 100 }),
    language: language.optional(),
    organizationName: line({ min: 1, max: 100 }).optional(),
  })
  .refine(
    ({ email, password }) =>
      typeof email !== "string" || typeof password !== "string" || !isOwnEmail(password, email),
    {
      path: ["password"],
      message: NOT_THE_EMAIL,
      ...acrossFields,
    },
  )
  .openapi("RegisterBody");

export const EmailBody = z.strictObject({ email }).openapi("EmailBody");
export const VerifyEmailBody = z.strictObject({ token: linkToken }).openapi("VerifyEmailBody");
export const ResetPasswordBody = z
  .strictObject({ token: linkToken, newPassword })
  .openapi("ResetPasswordBody");
export const RegisteredResponse = z.object({ email: shown("ada@example.com") }).openapi("Registered");
