import { z } from "@hono/zod-openapi";
import { changedVia } from "#kit/inside";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  TWO_FACTOR_ENABLED: z.object({
    via: changedVia.describe("Who made the change: `self` is the user, `admin` a platform administrator."),
  }),
  TWO_FACTOR_DISABLED: z.object({
    via: changedVia.describe("Who made the change: `self` is the user, `admin` a platform administrator."),
  }),
  TWO_FACTOR_RECOVERY_CODE_USED: z.object({
    remaining: z.int().openapi({ description: "The number of unused recovery codes.", example: 9 }),
  }),
} as const satisfies Record<string, z.ZodObject>;
