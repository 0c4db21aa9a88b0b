import { z } from "@hono/zod-openapi";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  WELCOME: z.object({}),
} as const satisfies Record<string, z.ZodObject>;
