import { z } from "@hono/zod-openapi";
import { deferred } from "../definitions/deferred.ts";
import { textExample } from "../definitions/fields.ts";
import { featureNames, limitNames } from "../definitions/plan-names.ts";
import type { EffectivePlan } from "./effective-plan.ts";

export const limitName = deferred(() =>
  z.enum(limitNames()).openapi("LimitName", { description: "The name of a limit." }),
);
const knownFeature = deferred(() =>
  z.enum(featureNames()).openapi("FeatureName", {
    description: "The name of a feature that a plan can have.",
  }),
);
/** Names of features. The plan file may also contain features that only clients know. */
export const featureName = z.union([knownFeature, z.string()]).openapi({ example: "audit" });

/** The details of the error `PLAN_LIMIT_REACHED`: `max` is the maximum of the plan, `used` the current number. */
export const PlanLimitDetails = z.object({
  limit: limitName,
  max: z.int().openapi({ example: 5 }).describe("The maximum that the plan allows."),
  used: z
    .int()
    .openapi({ example: 5 })
    .describe("The current number of records that count towards the limit."),
});

/** The source of an organization's plan. */
export const planSource = z
  .enum(["override", "subscription", "trial", "default"])
  .openapi({ example: "subscription" });

/** The plan in a platform administrator's list of organizations; null if billing is off. */
export const PlanOfRow = z
  .object({
    key: textExample("pro").describe("The key of the plan."),
    source: planSource.describe("Why this plan is in effect."),
  })
  .nullable();

export const PlanBody = z
  .strictObject({
    planOverride: z
      .string()
      .min(1)
      .max(63)
      .nullable()
      .optional()
      .openapi({ description: "The key of a plan; null removes the override." }),
  })
  .openapi("PlanOverrideBody");

/** Returns the plan in the form in which rows of organizations contain it. */
export const presentPlan = (effective: EffectivePlan | undefined): z.output<typeof PlanOfRow> =>
  effective === undefined ? null : { key: effective.plan.key, source: effective.source };
