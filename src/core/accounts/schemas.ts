import { z } from "@hono/zod-openapi";
import { language, textExample, timestamp, uuid } from "../definitions/fields.ts";

/** An account, as its owner and platform administrators see it. */
export const User = z
  .object({
    id: uuid.describe("The id of the account."),
    email: textExample("ada@example.com").describe("The email, in lower case."),
    firstName: textExample("Ada").describe("The first name."),
    lastName: textExample("Lovelace").describe("The last name."),
    language,
    emailVerifiedAt: timestamp.nullable().describe("When the email was confirmed; null if it was not."),
    isPlatformAdmin: z.boolean().describe("Whether the account is a platform administrator."),
    twoFactorEnabled: z.boolean().describe("Whether sign-in requires a second factor."),
    passkeyCount: z.int().openapi({ example: 1 }).describe("The number of passkeys."),
    createdAt: timestamp.describe("When the account was created."),
  })
  .openapi("User");

/** The token of a mailed link. Its format is not validated: a malformed token is treated like an expired one. */
export const linkToken = z
  .string()
  .min(1)
  .max(512)
  .openapi({ example: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E" });
