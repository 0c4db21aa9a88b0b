import { z } from "@hono/zod-openapi";
import { textExample } from "#kit";

const provider = z.object({
  provider: textExample("google").describe("The key of the provider, `passkey` or `password`."),
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  SIGN_IN_METHOD_ADDED: provider,
  SIGN_IN_METHOD_REMOVED: provider,
} as const satisfies Record<string, z.ZodObject>;
