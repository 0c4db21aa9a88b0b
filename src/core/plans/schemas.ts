import { z } from "@hono/zod-openapi";
import { textExample } from "../api/fields.ts";

/** The source of an organization's plan. */
export const planSource = z
  .enum(["override", "subscription", "trial", "default"])
  .openapi({ example: "subscription" });

/** The plan of a platform row; null where billing is off. */
export const PlanOfRow = z.object({ key: textExample("pro"), source: planSource }).nullable();

export const PlanBody = z
  .strictObject({
    planOverride: z
      .string()
      .min(1)
      .max(63)
      .nullable()
      .optional()
      .openapi({ description: "A plan's key; null for none." }),
  })
  .openapi("PlanOverrideBody");
