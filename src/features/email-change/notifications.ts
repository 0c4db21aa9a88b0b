import { z } from "@hono/zod-openapi";
import { textExample } from "#kit";

const emailChange = z.object({
  from: textExample("ada@example.com").describe("The former email."),
  to: textExample("ada@example.org").describe("The new email."),
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  EMAIL_CHANGE_REQUESTED: emailChange,
  EMAIL_CHANGED: emailChange,
} as const satisfies Record<string, z.ZodObject>;
