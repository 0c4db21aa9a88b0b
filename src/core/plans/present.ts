import type { z } from "zod";
import type { EffectivePlan } from "./effective-plan.ts";
import type { PlanOfRow } from "./schemas.ts";

/** Returns the plan in the form in which rows of organizations contain it. */
export const presentPlan = (effective: EffectivePlan | undefined): z.output<typeof PlanOfRow> =>
  effective === undefined ? null : { key: effective.plan.key, source: effective.source };
