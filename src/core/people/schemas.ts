import { z } from "@hono/zod-openapi";
import { language, textExample, timestamp, uuid } from "../api/fields.ts";

/** An account, as its owner and platform administrators see it. */
export const User = z
  .object({
    id: uuid,
    email: textExample("ada@example.com"),
    firstName: textExample("Ada"),
    lastName: textExample("Lovelace"),
    language,
    emailVerifiedAt: timestamp.nullable(),
    isPlatformAdmin: z.boolean(),
    twoFactorEnabled: z.boolean(),
    createdAt: timestamp,
  })
  .openapi("User");

/** The token of a mailed link. Its format is not validated: a malformed one is treated like an expired one. */
export const linkToken = z
  .string()
  .min(1)
  .max(512)
  .openapi({ example: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E" });
