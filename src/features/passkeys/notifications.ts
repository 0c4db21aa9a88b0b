import { z } from "@hono/zod-openapi";
import { textExample } from "#kit";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  PASSKEY_BLOCKED: z.object({ name: textExample("Laptop").describe("The name of the passkey.") }),
} as const satisfies Record<string, z.ZodObject>;
