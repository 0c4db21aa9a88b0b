import { z } from "@hono/zod-openapi";
import { timestamp } from "#kit";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const types = {
  TEST: z.object({ sentAt: timestamp.describe("When the test notification was sent.") }),
} as const satisfies Record<string, z.ZodObject>;
