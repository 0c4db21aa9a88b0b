import { z } from "@hono/zod-openapi";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  PASSWORD_CHANGED: z.object({
    via: z
      .enum(["change", "reset"])
      .describe("`change`: the user changed the password; `reset`: the password was reset by a mailed link."),
  }),
} as const satisfies Record<string, z.ZodObject>;
